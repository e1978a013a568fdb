import { kept } from '#api/kept.ts'

/** Where a sound comes out: in the ear, or in the room. */
export type Output = 'speaker' | 'ringer'

/** Not every browser can choose. */
export const canChooseOutput = (): boolean => 'setSinkId' in HTMLMediaElement.prototype

/** To the loudspeaker that the person chose for it; one that is gone, or a browser that cannot choose, means the usual one. */
export const leadTo = async (output: Output, sink: HTMLMediaElement | AudioContext): Promise<void> => {
  const chosen = kept(`phone.${output}`) ?? ''
  const { setSinkId } = sink as { setSinkId?: (id: string) => Promise<void> }
  await setSinkId?.call(sink, chosen).catch(() => undefined)
}
