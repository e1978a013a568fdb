import type { RecordingFile } from '#core/kernel/ports/telephony.ts'

/** Nothing in it can lead out of the folder. */
const safe = /^[\w-]{1,64}$/

export const isSafeName = (name: string): boolean => safe.test(name)

/** Where a recording lies under the recordings folder. */
export const fileNameOf = ({ accountId, id }: RecordingFile): string => {
  if (!isSafeName(accountId) || !isSafeName(id)) throw new Error('a recording has an odd name')
  return `${accountId}/${id}.wav`
}
