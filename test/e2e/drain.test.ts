import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { FirstRunNotes } from '#first-start/first-start.ts'
import { offhook, ready, type Program } from '#test/machine/program.ts'
import { SipPhone, type PhoneCall } from '#test/phones/sip-phone.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'

interface Draining {
  program: Program
  phone: SipPhone
  number: string
  call: PhoneCall
}

/** The program with a phone that talks to the demo flow, after a first SIGTERM: it takes no new calls. */
const startDraining = async (t: TestContext): Promise<Draining> => {
  const data = await temporaryFolder(t)
  const program = offhook(t, ['serve'], { OFFHOOK_DATA: data, OFFHOOK_LOG: 'info' })
  const { sip } = await ready(program)
  const { sip: login, number = '' } = JSON.parse(await readFile(join(data, 'first-run.json'), 'utf8')) as FirstRunNotes
  assert.ok(login)
  const phone = await SipPhone.open(t, { server: sip.slice('sip:'.length), user: login.user, password: login.password })
  const call = phone.call(number)
  await call.answered
  program.child.kill('SIGTERM')
  while ((await phone.request('OPTIONS', sip)).status !== 503);
  return { program, phone, number, call }
}

test('rejects new calls on SIGTERM and waits for the last one to end', async (t) => {
  const { program, phone, number, call } = await startDraining(t)
  assert.equal((await phone.call(number).ended).status, 503)
  assert.equal(call.session.state, 'confirmed')
  await call.session.end()
  assert.equal(await program.ended, 0)
  assert.match(await program.stderr, /"event":"calls_draining"/)
})

test('ends the calls cleanly on a second signal', async (t) => {
  const { program, phone, call } = await startDraining(t)
  // Signals that arrive together count as one, so the first must be handled before.
  await phone.rtp.until(() => phone.rtp.heardMs > 800, 'no greeting')
  program.child.kill('SIGTERM')
  assert.match((await call.ended).reason ?? '', /^Q\.850;cause=/)
  assert.equal(await program.ended, 0)
})
