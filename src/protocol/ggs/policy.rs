//! Which challenges to take: the operator's wishes applied to a request.

use super::event::{Flag, Request};
use super::settings::{Settings, Stored, Which};

/// What to do about a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Take it up.
    Accept,
    /// Refuse it, and say why.
    Decline(String),
    /// It is none of our business.
    Ignore,
}

/// Judges a request that `me` may accept.
pub(super) fn judge(settings: &Settings, request: &Request) -> Verdict {
    let (me, accept) = (&settings.login, &settings.accept);
    let is_mine = request.opponent.as_ref() == Some(me);
    let is_open = request.opponent.is_none();
    let concerns_me = is_mine || is_open && accept.open_challenges;
    if !concerns_me || request.asker == *me {
        return Verdict::Ignore;
    }
    match objection(settings, request) {
        None => Verdict::Accept,
        // Nobody is told that an offer to everybody is not taken.
        Some(_) if is_open => Verdict::Ignore,
        Some(reason) => Verdict::Decline(reason),
    }
}

/// Why not to play; the sentence that the asker is told.
fn objection(settings: &Settings, request: &Request) -> Option<String> {
    let (accept, kind) = (&settings.accept, request.game_type.kind());
    let no = |reason: &str| Some(reason.to_owned());
    if request.game_type.anti {
        return no("I do not play anti games.");
    }
    if !request.game_type.is_playable() {
        return no("I only play Othello on the 8x8 board.");
    }
    if accept.deny.contains(&request.asker) {
        return no("My operator does not want me to play you.");
    }
    if !accept.allow.is_empty() && !accept.allow.contains(&request.asker) {
        return no("I play only a few opponents at the moment.");
    }
    if request.flag == Flag::Stored && accept.stored == Stored::Never {
        return no("I do not go on with adjourned games.");
    }
    if request.flag == Flag::Stored {
        return None;
    }
    if !accept.kinds.contains(&kind) {
        return Some(format!("I do not play {kind} games at the moment."));
    }
    match (accept.rated, request.flag) {
        (Which::Rated, Flag::Unrated) => return no("I play rated games only."),
        (Which::Unrated, Flag::Rated) => return no("I play unrated games only."),
        _ => {}
    }
    let (least, most) = settings.time_bounds();
    let [mine, theirs] = [request.opponent_clock, request.asker_clock].map(|clock| clock.left());
    if mine < least {
        return Some(format!("I need at least {} of main time.", accept.least_time));
    }
    if mine.max(theirs) > most {
        return Some(format!("I play with at most {} of main time.", accept.most_time));
    }
    if !(accept.least_rating..=accept.greatest_rating).contains(&request.asker_rating) {
        return Some(format!(
            "I play opponents rated {} to {}.",
            accept.least_rating, accept.greatest_rating
        ));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::ggs::event::Event;
    use crate::protocol::ggs::grammar_tests::events;

    fn verdict(settings: &str, request: &str) -> Verdict {
        let settings = Settings::parse(&format!("login = \"kitai\"\n{settings}")).unwrap();
        match &events(&format!("/os: {request}"))[..] {
            [Event::Request(request)] => judge(&settings, request),
            other => panic!("{other:?}"),
        }
    }

    fn reason(settings: &str, request: &str) -> String {
        match verdict(settings, request) {
            Verdict::Decline(reason) => reason,
            other => panic!("{other:?}"),
        }
    }

    const PLAIN: &str = "+ .8 1720.0 alice 05:00//02:00 8 R 1720.0 kitai";

    #[test]
    fn ordinary_challenges_are_taken_and_others_left_alone() {
        assert_eq!(verdict("", PLAIN), Verdict::Accept);
        assert_eq!(verdict("", &PLAIN.replace("kitai", "bob")), Verdict::Ignore);
        let open = "+ .8 1720.0 alice 05:00//02:00 8 R * *";
        assert_eq!(verdict("", open), Verdict::Ignore);
        assert_eq!(verdict("[accept]\nopen-challenges = true", open), Verdict::Accept);
        let own = open.replace("alice", "kitai");
        assert_eq!(verdict("[accept]\nopen-challenges = true", &own), Verdict::Ignore);
        let too_fast = "[accept]\nopen-challenges = true\nleast-time = \"6:00\"";
        assert_eq!(verdict(too_fast, open), Verdict::Ignore);
    }

    #[test]
    fn every_objection_has_its_sentence() {
        for (settings, change, says) in [
            ("", ("8 R", "8a R"), "anti"),
            ("", ("8 R", "10 R"), "8x8"),
            ("", ("8 R", "8q R"), "8x8"),
            ("[accept]\nkinds = [\"normal\"]", ("8 R", "s8r20 R"), "random"),
            ("[accept]\nrated = \"unrated\"", ("", ""), "unrated games only"),
            ("[accept]\nrated = \"rated\"", ("8 R", "8 U"), "rated games only"),
            ("", ("05:00//02:00", "00:10//02:00"), "at least 1:00"),
            ("", ("05:00//02:00", "1.00:00:00//02:00"), "at most 30:00"),
            ("[accept]\nleast-rating = 1800", ("", ""), "rated 1800 to 9999"),
            ("[accept]\ndeny = [\"alice\"]", ("", ""), "does not want"),
            ("[accept]\nallow = [\"carol\"]", ("", ""), "a few opponents"),
            ("[accept]\nstored = \"never\"", ("8 R", "8 S"), "adjourned"),
        ] {
            let request = PLAIN.replacen(change.0, change.1, usize::from(!change.0.is_empty()));
            let said = reason(settings, &request);
            assert!(said.contains(says), "{said}");
        }
    }
}
