import { partsFor } from '../../../server/src/core/messages/sms/text/outgoing-parts.ts'
import { dataCoding } from '../message/text-coding.ts'

/** A text as the service writes it, in one piece whatever its length. */
export const writtenText = (text: string): { dataCoding: number; bytes: Uint8Array } => {
  const [whole] = partsFor({ takes: 'text' }, { id: '', sender: '', recipient: '', text })
  if (!whole) throw new Error('there is always a part')
  return { dataCoding: whole.encoding === 'GSM7' ? dataCoding.gsm : dataCoding.ucs2, bytes: whole.payload }
}
