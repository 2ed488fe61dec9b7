// The connection to the server: questions with numbers, answers by number, and trying again when it
// is lost. Whoever asked something that runs on asks again when the connection is back.

export class Link {
  constructor({ onHello, onLost, onBusy }) {
    this.handlers = new Map();
    this.topics = new Map();
    this.next = 1;
    this.isOpen = false;
    this.wait = 300;
    this.events = { onHello, onLost, onBusy };
    this.updates = 0;
    this.connect();
  }

  connect() {
    const address = location.origin.replace(/^http/, "ws") + "/live";
    const socket = new WebSocket(address);
    this.socket = socket;
    this.busy = false;
    socket.onmessage = (message) => this.heard(JSON.parse(message.data));
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.isOpen = false;
      this.handlers.clear();
      if (!this.busy) this.events.onLost();
      const wait = this.busy ? 5000 : this.wait;
      this.wait = Math.min(5000, this.wait * 1.7);
      this.timer = setTimeout(() => this.connect(), wait);
    };
  }

  heard(say) {
    this.updates += 1;
    if (say.say === "hello") {
      this.isOpen = true;
      this.wait = 300;
      this.events.onHello(say);
      return;
    }
    if (say.say === "busy") {
      this.busy = true;
      this.events.onBusy(say.tabs);
      return;
    }
    const handler = say.id === undefined || say.id === null ? this.topics.get(say.say) : this.handlers.get(say.id);
    if (handler) handler(say);
    const ends = ["done", "refused", "review-done", "written", "book", "game", "pong"];
    if (ends.includes(say.say)) this.handlers.delete(say.id);
  }

  // Hears what is said without a number.
  topic(name, handler) {
    this.topics.set(name, handler);
  }

  // Sends a question; `handler` hears everything about it. Gives its number, or 0 if there is no
  // connection.
  ask(question, handler) {
    if (!this.isOpen) return 0;
    const id = this.next++;
    if (handler) this.handlers.set(id, handler);
    this.socket.send(JSON.stringify({ ...question, id }));
    return id;
  }

  tell(order) {
    if (this.isOpen) this.socket.send(JSON.stringify(order));
  }

  // Hears no more about a question.
  forget(id) {
    this.handlers.delete(id);
  }

  // An answer as a promise.
  once(question) {
    return new Promise((resolve, reject) => {
      const id = this.ask(question, (say) => (say.say === "refused" ? reject(new Error(say.reason)) : resolve(say)));
      if (id === 0) reject(new Error("no connection"));
    });
  }
}
