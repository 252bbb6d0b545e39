//! How a model is divided among ranks that see the same data.

mod marks;
mod pipeline;
mod tensor_plan;

pub use marks::ParameterMarks;
pub use pipeline::LocalStage;
pub use tensor_plan::{
    EXPERTS_PLAN, FUSED_MLP_PLAN, GATHERED_EXPERTS_PLAN, GATHERED_PLAN, LLAMA_PLAN, MIXED_PLAN,
    PLAIN_MLP_PLAN, SHARED_EXPERTS_PLAN, TensorPart, TensorPlan, TensorStyle, style_of,
};
