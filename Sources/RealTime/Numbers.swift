/// Some samples as numbers, full scale being ±1: what conversions and meters work on.
///
/// A `Double` holds each sample of each format exactly. The numbers of one step stay in the
/// processor's first cache, and a format is looked at once a step, never once a sample.
typealias Numbers = MutableSpan<Double>

/// The memory of one step.
///
/// Only ever used through its span: an element of an inline array costs a copy of the whole array.
typealias NumberStorage = InlineArray<256, Double>
