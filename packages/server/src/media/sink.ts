/** Where audio goes, frame after frame. The frame is only lent: who keeps it copies it. */
export interface Sink {
  readonly rate: number
  write(pcm: Int16Array): void
}

export const tee = (...to: [Sink, ...Sink[]]): Sink => ({
  rate: to[0].rate,
  write(pcm) {
    for (let i = 0; i < to.length; i++) to[i]!.write(pcm)
  },
})

export const gate = (open: () => boolean, to: Sink): Sink => ({
  rate: to.rate,
  write(pcm) {
    if (open()) to.write(pcm)
  },
})
