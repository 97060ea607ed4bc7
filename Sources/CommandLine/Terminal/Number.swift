/// A number with a fixed number of decimals in any locale: `1.4`, `48`.
package func rounded(_ number: Double, places: Int) -> String {
  let unit = (0..<places).reduce(1.0) { unit, _ in unit * 10 }
  let scaled = (number.magnitude * unit).rounded()
  guard scaled < 9e15 else { return "\(number)" }
  let (whole, fraction) = Int64(scaled).quotientAndRemainder(dividingBy: Int64(unit))
  let sign = number < 0 && scaled > 0 ? "-" : ""
  guard places > 0 else { return "\(sign)\(whole)" }
  return "\(sign)\(whole)." + zeroPadded(fraction, to: places)
}
