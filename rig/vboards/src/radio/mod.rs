//! Radio chips: SPI slaves with pins on one side, carriers on the air on the other.

pub mod at86rf231;
