import type { SmsPart } from '#core/kernel/ports/messages.ts'
import { addressOf, esm, messageFields, type MessageFields } from '@offhook/smpp/pdu/pdu.ts'
import { dataCoding } from '@offhook/smpp/message/text-coding.ts'
import { concatenationHeader } from '@offhook/smpp/message/user-data.ts'

/** SMPP fields of one part. */
export const partFields = ({ sender, recipient, encoding, payload, of }: SmsPart): MessageFields =>
  messageFields({
    source: addressOf(sender),
    destination: addressOf(recipient),
    esmClass: of ? esm.userDataHeader : 0,
    dataCoding: encoding === 'GSM7' ? dataCoding.gsm : dataCoding.ucs2,
    shortMessage: of ? Buffer.concat([concatenationHeader(of), payload]) : payload,
  })
