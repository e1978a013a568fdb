import assert from 'node:assert/strict'
import { createClient } from '@offhook/sdk'
import type { FirstRunNotes } from '#first-start/first-start.ts'
import type { Scope } from '../machine/temporary-folder.ts'
import { SipPhone, type PhoneCall } from '../phones/sip-phone.ts'

const [low, high] = [440, 1000]

export interface Installation {
  http: string
  /** host:port for phones. */
  sip: string
  /** Notes of its first start. */
  notes: FirstRunNotes
}

/** Connects two phones of the demo account through a service started elsewhere: each hears the tone of the other. */
export const joinedPhones = async (
  t: Scope,
  installation: Installation,
): Promise<{ caller: SipPhone; call: PhoneCall; number: string }> => {
  const [caller, callee] = [await newPhone(t, installation), await newPhone(t, installation)]
  caller.phone.rtp.say(low)
  callee.phone.rtp.say(high)
  const call = caller.phone.call(callee.deviceId)
  await callee.phone.accept(await callee.phone.incoming())
  await call.answered
  await Promise.all([caller.phone.rtp.hears(high), callee.phone.rtp.hears(low)])
  return { caller: caller.phone, call, number: callee.deviceId }
}

const newPhone = async (t: Scope, { http, sip: server, notes }: Installation): Promise<{ phone: SipPhone; deviceId: string }> => {
  const api = createClient({ baseUrl: http, token: notes.token ?? assert.fail('there is no demo account') })
  const { id: deviceId, credentials } = await api.createRegisterDevice({ userId: 'w0' }, { alias: 'Phone' })
  const phone = await SipPhone.open(t, { server, user: credentials.username, password: credentials.password })
  assert.equal((await phone.register()).status, 200)
  return { phone, deviceId }
}
