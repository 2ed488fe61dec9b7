//! Every conversation in `protocol-tests/`.

use std::path::Path;

#[test]
fn every_scripted_conversation_goes_as_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol-tests");
    let mut scripts: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    scripts.sort();
    assert!(!scripts.is_empty(), "no scripts in {}", folder.display());
    for path in scripts {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        super::script::play(&name, &text.replace("{data}", &folder.to_string_lossy()));
    }
}
