import assert from 'node:assert/strict'
import { test } from 'node:test'
import { partsFor } from '#core/messages/sms/text/outgoing-parts.ts'
import { decodeGsm } from '@offhook/smpp/message/text-coding.ts'

test("SMPP decodes the core's GSM encoding to the same text: the two tables agree", () => {
  const all = '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡AZÄÖÑÜ§¿azäöñüà\f^{}\\[~]|€'
  const [part] = partsFor({ takes: 'text' }, { id: '', sender: '', recipient: '', text: all })
  assert.equal(part?.encoding, 'GSM7')
  assert.equal(decodeGsm(part.payload), all)
})
