//! How a model that the host has loaded comes to the ranks: whole parameters one after the other, of each of which a
//! rank keeps its part.
//!
//! Source: accelerate 1.15, `fsdp2_load_full_state_dict`; torch 2.15, `Shard._shard_tensor`
//! (`distributed/tensor/placement_types.py`) and `FSDPParam.reset_sharded_param`.

use super::group::Sharing;
use crate::ask::Task;
use crate::model::{Architecture, ResolvedSpec};
use crate::parallel::shards::RowShard;
use crate::tape::{Category, Registered, Role, Tape, Tensor};
use crate::units::{DType, Shape};
use std::collections::BTreeMap;

/// A parameter as it is sent.
struct Sent {
    shape: Shape,
    stored: DType,
    sharing: Sharing,
}

/// Parameters that come to a rank.
struct Arriving<'a> {
    tape: &'a Tape,
    /// Whether this rank is the one whose host has them.
    first: bool,
    /// The whole parameter that came last (`full_param`, `full_tensor`).
    whole: Option<Tensor>,
    /// Chunks of ranks with fewer rows than others, held until all have come: others take their place.
    replaced: Vec<Tensor>,
}

impl Arriving<'_> {
    /// This rank's chunk of a parameter, with its padding.
    fn chunk(&mut self, sent: &Sent) -> Tensor {
        let t = self.tape;
        let Sent {
            shape,
            stored,
            sharing,
        } = sent;
        if self.first {
            // The variable names the host's before it names the copy.
            self.whole = None;
        }
        self.whole = Some(t.allocate("_to_copy", *shape, *stored, Category::Temporaries));
        let ranks = sharing.ranks;
        let padded = Shape::from([RowShard::of(shape, 0, ranks).padded]);
        let fewer = (0..ranks).filter(|&place| RowShard::of(shape, place, ranks).is_padded());
        let _list: Vec<Tensor> = fewer
            .map(|_| t.allocate("constant_pad_nd", padded, *stored, Category::Temporaries))
            .collect();
        t.allocate("empty_like", padded, *stored, Category::Parameters)
    }
}

/// Whether a head shares its weight with the embeddings: it comes twice, and is shared again at the end.
fn tied_head(spec: &ResolvedSpec) -> Option<Shape> {
    match &spec.architecture {
        Architecture::Decoder(c) if c.tie_word_embeddings && spec.task == Task::CausalLm => {
            Some(Shape::from([c.vocab_size, c.embedding_size]))
        }
        _ => None,
    }
}

/// The memory of the parts of parameters, in the order in which those were registered; of each is said in which dtype
/// it is stored and which ranks divide it.
pub(super) fn distributed(
    t: &Tape,
    spec: &ResolvedSpec,
    registered: &[Registered],
    of: impl Fn(&Registered) -> (DType, Sharing),
) -> Vec<Option<Tensor>> {
    // By module: adapters of a layer behind its own parameters.
    let mut first = BTreeMap::new();
    for (place, entry) in registered.iter().enumerate() {
        first.entry(entry.scope).or_insert(place);
    }
    let mut order: Vec<usize> = (0..registered.len()).collect();
    order.sort_by_key(|&at| first.get(&registered[at].scope).copied());
    let mut arriving = Arriving {
        tape: t,
        first: spec.mesh.rank.dp == 0,
        whole: None,
        replaced: Vec::new(),
    };
    let mut chunks = vec![None; registered.len()];
    let sent = |entry: &Registered| {
        let (stored, sharing) = of(entry);
        Sent {
            shape: *entry.tensor.shape(),
            stored,
            sharing,
        }
    };
    let parameters = |at: &usize| registered[*at].role != Role::Buffer;
    let order: Vec<usize> = order.into_iter().filter(parameters).collect();
    for &at in &order {
        let entry = &registered[at];
        chunks[at] = Some(t.in_scope(entry.scope, || arriving.chunk(&sent(entry))));
    }
    let table = order.first().map(|&at| sent(&registered[at]));
    if let (Some(shape), Some(table)) = (tied_head(spec), table) {
        let again = arriving.chunk(&Sent { shape, ..table });
        arriving.replaced.push(again);
    }
    for &at in &order {
        let entry = &registered[at];
        let (stored, sharing) = of(entry);
        let part = sharing.part(entry.tensor.shape());
        if part.is_padded() {
            let padded = Shape::from([part.padded]);
            let whole = t.in_scope(entry.scope, || {
                t.allocate("zeros", padded, stored, Category::Parameters)
            });
            arriving.replaced.extend(chunks[at].replace(whole));
        }
    }
    drop(arriving);
    chunks
}
