/** Both recognisers were trained with at most half a minute. */
const maxSeconds = 25
const minSeconds = 12

/** Cuts a long sound at the quietest moments. */
export const soundPieces = <T extends Float32Array | Int16Array>(sound: T, rate: number): T[] => {
  const pieces: T[] = []
  let rest = sound
  while (rest.length > maxSeconds * rate) {
    const cut = quietestPlace(rest, minSeconds * rate, maxSeconds * rate, rate / 10)
    pieces.push(rest.subarray(0, cut) as T)
    rest = rest.subarray(cut) as T
  }
  return [...pieces, rest]
}

/** Middle of the window with the least energy. */
const quietestPlace = (sound: Float32Array | Int16Array, from: number, to: number, window: number): number => {
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
