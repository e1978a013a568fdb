import type { SmsPart } from '#core/kernel/ports/sms-routes.ts'
import { addressOf } from '@offhook/smpp/message/address.ts'
import { esm, messageFields, type MessageFields } from '@offhook/smpp/pdu/pdu.ts'
import { dataCoding } from '@offhook/smpp/message/text-coding.ts'
import { concatenationHeader } from '@offhook/smpp/message/user-data.ts'

/** One part as SMPP carries it. */
export const partFields = ({ sender, recipient, encoding, payload, of }: SmsPart): MessageFields =>
  messageFields({
    source: addressOf(sender),
    destination: addressOf(recipient),
    esmClass: of ? esm.userDataHeader : 0,
    dataCoding: encoding === 'GSM7' ? dataCoding.gsm : dataCoding.ucs2,
    shortMessage: of ? Buffer.concat([concatenationHeader(of), payload]) : payload,
  })
