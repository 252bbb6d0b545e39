//! The positions of Whisper's decoder.

use crate::ask::ModelRef;
use crate::ask::Scenario;
use crate::resolve::resolve;

#[test]
fn the_decoder_takes_only_as_many_tokens_as_it_has_positions() {
    let with = |target| Scenario {
        model: ModelRef::Catalog("whisper-tiny".to_owned()),
        target_seq_len: Some(target),
        ..Scenario::default()
    };
    assert!(resolve(&with(448)).spec.is_some());
    let refused = resolve(&with(449));
    assert!(refused.spec.is_none());
    assert_eq!(refused.findings[0].key, "target_seq_len");
}
