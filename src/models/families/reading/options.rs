//! Reading a decoder's options by the rules of its family.

use crate::ask::WIDTH;
use crate::model::{
    Activation, Biases, ConfigFields, Dropout, DropoutFields, Flag, HeadDim, MlpFunction,
    RotaryColumns,
};

/// Whether a config has something.
pub(crate) fn holds(flag: Flag, fields: &mut ConfigFields<'_>) -> bool {
    match flag {
        Flag::Never => false,
        Flag::Always => true,
        Flag::Said(field, default) => fields.flag(field, default),
        Flag::Either(names) => names.into_iter().any(|name| fields.flag(name, false)),
        Flag::Given(field) => fields.get(field).is_some(),
        Flag::UnlessNull(field) => !fields.is_null(field),
    }
}

/// The layers of a config that have biases.
pub(crate) struct Biased {
    /// Biases of queries, keys and values.
    pub(crate) qkv: bool,
    /// The bias of the output of attention.
    pub(crate) output: bool,
    /// Biases of the MLP.
    pub(crate) mlp: bool,
}

/// Reads them, each field once.
pub(crate) fn biases(rule: &Biases, fields: &mut ConfigFields<'_>) -> Biased {
    let qkv = holds(rule.qkv, fields);
    let output = if rule.output == rule.qkv {
        qkv
    } else {
        holds(rule.output, fields)
    };
    let mlp = if rule.mlp == rule.qkv {
        qkv
    } else {
        holds(rule.mlp, fields)
    };
    Biased { qkv, output, mlp }
}

/// Places of active dropout, each field read once.
pub(crate) fn dropout(rule: &DropoutFields, fields: &mut ConfigFields<'_>) -> Dropout {
    let mut drops = |field: Option<(&str, bool)>| {
        field.is_some_and(|(name, default)| fields.drops(name, default))
    };
    let residual = drops(rule.residual);
    Dropout {
        embedding: if rule.embedding == rule.residual {
            residual
        } else {
            drops(rule.embedding)
        },
        attention: drops(rule.attention),
        residual,
    }
}

/// Columns of one of `heads` heads, which the field `named` counts.
pub(crate) fn head_dim(
    rule: HeadDim,
    [hidden, heads]: [u64; 2],
    named: &str,
    fields: &mut ConfigFields<'_>,
) -> u64 {
    const FIELD: &str = "head_dim";
    match rule {
        HeadDim::Of(default) => fields.optional(FIELD, &WIDTH, default),
        HeadDim::DividedUnlessGiven if fields.get(FIELD).is_some() => {
            fields.optional(FIELD, &WIDTH, 1)
        }
        _ => fields.divided(hidden, heads, named),
    }
}

/// Columns of a head that rotary embeddings rotate.
pub(crate) fn rotary_columns(
    rule: RotaryColumns,
    head_dim: u64,
    fields: &mut ConfigFields<'_>,
) -> u64 {
    match rule {
        RotaryColumns::None => 0,
        RotaryColumns::All => head_dim,
        RotaryColumns::Half => head_dim / 2,
        RotaryColumns::Share(field, default) => fields.rotated(head_dim, field, default),
        RotaryColumns::Count(field, default) => {
            fields.optional(field, &WIDTH, default.min(head_dim))
        }
    }
}

/// The function in the MLP.
pub(crate) fn function(rule: MlpFunction, fields: &mut ConfigFields<'_>) -> Activation {
    match rule {
        MlpFunction::Named(field, default) => fields.activation(field, default),
        MlpFunction::Fixed(field, known, function) => {
            fields.check_activation(field, known);
            function
        }
    }
}
