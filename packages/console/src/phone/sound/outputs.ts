import { kept } from '#api/kept.ts'

/** Where a sound comes out: in the ear, or in the room. */
export type Output = 'speaker' | 'ringer'

interface Sink {
  setSinkId?: (id: string) => Promise<void>
}

/** To the loudspeaker that the person chose for it; one that is gone, or a browser that cannot choose, means the usual one. */
export const leadTo = async (output: Output, sink: Sink): Promise<void> => {
  const chosen = kept(`phone.${output}`) ?? ''
  await sink.setSinkId?.(chosen).catch(() => undefined)
}
