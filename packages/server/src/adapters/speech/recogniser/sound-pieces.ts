/** Both recognisers were taught with at most half a minute. */
const maxSeconds = 25
const minSeconds = 12

/** Cuts a long sound at the quietest moments. */
export const soundPieces = (sound: Float32Array, rate: number): Float32Array[] => {
  const pieces: Float32Array[] = []
  let rest = sound
  while (rest.length > maxSeconds * rate) {
    const cut = quietest(rest, minSeconds * rate, maxSeconds * rate, rate / 10)
    pieces.push(rest.subarray(0, cut))
    rest = rest.subarray(cut)
  }
  return [...pieces, rest]
}

/** Middle of the window with the least energy. */
const quietest = (sound: Float32Array, from: number, to: number, window: number): number => {
  let best = to
  let min = Infinity
  for (let start = from; start + window <= to; start += window / 2) {
    let energy = 0
    for (let i = start; i < start + window; i++) energy += sound[i]! ** 2
    if (energy < min) {
      min = energy
      best = start + window / 2
    }
  }
  return best
}
