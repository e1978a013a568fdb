import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { createClient, type Client } from '@offhook/sdk'
import { aPdf } from '../fax/pdf-documents.ts'
import type { Scope } from '../machine/temporary-folder.ts'
import { SipPhone } from '../phones/sip-phone.ts'
import { toneWav } from '../sound/wav.ts'
import type { Stage } from './stage.ts'

/** Prerequisites of a guide: phones on desks, a letter in the folder. */
type Preparation = (t: Scope, stage: Stage, place: string) => Promise<void>

const userId = 'w0'

const openPhone = async (t: Scope, { ports }: Stage, login: { user: string; password: string }): Promise<void> => {
  const phone = await SipPhone.open(t, { server: `127.0.0.1:${ports.sip}`, ...login })
  await phone.register()
  const answer = async (): Promise<void> => {
    await phone.accept(await phone.incoming())
    void answer()
  }
  void answer()
}

/** Number with one phone that answers. */
const newPhone = async (t: Scope, stage: Stage, api: Client, number: string): Promise<void> => {
  const { id: deviceId, credentials, activePhonelines } = await api.createRegisterDevice({ userId }, { alias: 'Phone' })
  for (const { id } of activePhonelines) await api.removePhonelineDevice({ userId, phonelineId: id, deviceId })
  const { id: phonelineId } = await api.createPhoneline({ userId }, { alias: `Line ${number}` })
  const others = (await api.listPhonelineDevices({ userId, phonelineId })).items
  for (const { id } of others) if (id !== deviceId) await api.removePhonelineDevice({ userId, phonelineId, deviceId: id })
  if (!others.some(({ id }) => id === deviceId)) await api.addPhonelineDevice({ userId, phonelineId }, { deviceId })
  const operator = createClient({ baseUrl: stage.url, token: stage.notes.operator.token })
  const [address] = (await api.listAddresses()).items
  const { id } = await operator.assignNumber({}, { accountId: stage.notes.accountId, number, addressId: address?.id ?? '' })
  await api.changeNumber({ numberId: id }, { endpointId: phonelineId })
  await openPhone(t, stage, { user: credentials.username, password: credentials.password })
}

const threePhones: Preparation = async (t, stage) => {
  const api = createClient({ baseUrl: stage.url, token: stage.notes.token })
  await openPhone(t, stage, stage.notes.sip)
  for (const number of ['+4930123456', '+4930123457']) await newPhone(t, stage, api, number)
  const notice = createServer((_request, response) => response.setHeader('content-type', 'audio/wav').end(toneWav({ hz: 440, seconds: 1 })))
  notice.listen(stage.ports.files, '127.0.0.1')
  await once(notice, 'listening')
  t.after(() => notice.close())
}

/** Letter and mobile phone: its messages appear in the history. */
const letterAndMobile: Preparation = async (_t, { url, notes }, place) => {
  writeFileSync(join(place, 'letter.pdf'), aPdf(1))
  const operator = createClient({ baseUrl: url, token: notes.operator.token })
  const { id } = await operator.assignNumber({}, { accountId: notes.accountId, number: '+4915799912345' })
  await createClient({ baseUrl: url, token: notes.token }).changeNumber({ numberId: id }, { endpointId: 's0' })
}

/** By file name. */
export const preparations: Readonly<Record<string, Preparation>> = {
  'calls-from-software.md': threePhones,
  'fax-and-sms.md': letterAndMobile,
}
