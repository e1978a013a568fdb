import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import { differentPixels, readFaxTiff, type FaxPage } from '#test/fax/fax-pages.ts'
import { farFax, FaxService, letter, minutePrice, printed } from '#test/service/fax-service.ts'
import { needs } from '#test/peers/debian.ts'
import { startEfax, type EfaxEnd } from '#test/peers/efax.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { text } from '#core/kernel/translations/index.ts'

/** Expects exactly the sent pages, unchanged. */
const assertArrived = async (t: TestContext, { code, files, log }: EfaxEnd, sent: readonly FaxPage[]): Promise<void> => {
  assert.equal(code, 0, log)
  assert.equal(files.length, sent.length, log)
  for (const [index, page] of sent.entries()) {
    const [received] = await readFaxTiff(t, files[index] ?? '')
    assert.ok(received)
    assert.equal(differentPixels(page, received), 0, `page ${index + 1} is not as it was sent`)
  }
}

const charged = (minutes: number): number => -minutes * minutePrice

/** For the test with a call that is not answered for a minute, on a busy machine. */
const timeout = 600_000

suite('faxes over real lines', { concurrency: true, timeout }, () => {
  test('sends three pages to another fax machine unchanged, and writes history and ledger', async (t) => {
    await needs(t, 'efax', 'socat', 'tiffcp', 'libspandsp.so.2')
    const efax = await startEfax(t, { station: '+49 89 12345678' })
    const service = await FaxService.start(t, { receiver: efax.address })
    const receiving = efax.receive()
    const pdf = letter(3)
    const id = await service.send(pdf)
    const sending = await service.becomes(id, ['SENDING'])
    assert.deepEqual([sending.target, sending.direction, sending.pageCount], [farFax, 'OUTGOING', 3])
    await assertArrived(t, await receiving.ended, await printed(t, pdf))
    const sent = await service.becomes(id, ['SENT'])
    assert.deepEqual([sent.pagesSent, sent.bitRate, sent.faxReason, sent.status], [3, 14_400, undefined, 'PICKUP'])
    assert.deepEqual((await service.money()).reserved, 0)
    const [charge, ...more] = (await service.money()).charges
    assert.ok(charge === charged(1) || charge === charged(2), `${charge}`)
    assert.deepEqual(more, [])
  })

  test('sends the rest in the next call when the fax machine dies on the second page, and charges each once', async (t) => {
    await needs(t, 'efax', 'socat', 'tiffcp', 'libspandsp.so.2')
    const efax = await startEfax(t)
    const service = await FaxService.start(t, { receiver: efax.address, OFFHOOK_SANDBOX: 'on' })
    const first = efax.receive()
    const pdf = letter(2)
    const id = await service.send(pdf)
    await service.confirmed(id, 1)
    await first.page(2)
    await first.kill()
    const failed = await service.becomes(id, ['SCHEDULED', 'FAILED'])
    assert.deepEqual([failed.faxStatusType, failed.pagesSent], ['SCHEDULED', 1], failed.faxReason)
    assert.ok(failed.scheduled)
    const second = efax.receive()
    await service.exchange.operator.putSandboxTimeForward({}, { seconds: 60 })
    await assertArrived(t, await second.ended, (await printed(t, pdf)).slice(1))
    const sent = await service.becomes(id, ['SENT'])
    assert.equal(sent.pagesSent, 2)
    const { charges, reserved } = await service.money()
    assert.deepEqual([charges.length, reserved], [1, 0])
  })

  test('sends the rest after a restart when the service is killed on the second page', async (t) => {
    await needs(t, 'efax', 'socat', 'tiffcp', 'libspandsp.so.2')
    const efax = await startEfax(t)
    const data = await temporaryFolder(t)
    const service = await FaxService.start(t, { receiver: efax.address, OFFHOOK_DATA: data })
    const first = efax.receive()
    const pdf = letter(2)
    const id = await service.send(pdf)
    await service.confirmed(id, 1)
    await first.page(2)
    service.exchange.program.child.kill('SIGKILL')
    await service.exchange.program.ended
    const second = efax.receive()
    const again = await FaxService.start(t, { OFFHOOK_DATA: data, OFFHOOK_SIP: service.exchange.sip })
    await first.ended
    await assertArrived(t, await second.ended, (await printed(t, pdf)).slice(1))
    assert.equal((await again.becomes(id, ['SENT'])).pagesSent, 2)
    const { charges, reserved } = await again.money()
    assert.deepEqual([charges.length, reserved], [1, 0])
  })

  test('fails without a retry when a person answers silently, and charges the call', async (t) => {
    await needs(t, 'libspandsp.so.2')
    const person = await SipPhone.open(t, { server: '' })
    const service = await FaxService.start(t, { receiver: person.address, OFFHOOK_SANDBOX: 'on' })
    const id = await service.send(letter(1))
    const invite = await person.invites.next()
    person.talkTo(invite.sdp ?? '')
    await invite.session.accept({ sdp: person.sdp() })
    const failed = await service.becomes(id, ['SCHEDULED', 'FAILED'])
    assert.deepEqual(
      [failed.faxStatusType, failed.faxReason, failed.status],
      ['FAILED', text('en_US', 'fax.reason.no_fax_machine'), 'PICKUP'],
    )
    const { charges, reserved } = await service.money()
    assert.ok(charges.length === 1 && (charges[0] === charged(1) || charges[0] === charged(2)), charges.join())
    assert.equal(reserved, 0)
    const hungUp = await service.send(letter(1))
    const second = await person.invites.next()
    await second.session.accept({ sdp: person.sdp() })
    await person.rtp.until(() => person.rtp.heardMs > 500, 'no tone is heard')
    await second.session.end()
    assert.equal((await service.becomes(hungUp, ['SCHEDULED', 'FAILED'])).faxReason, text('en_US', 'fax.reason.no_fax_machine'))
  })

  test('retries after busy and no answer until a fax machine answers, and charges nothing for the first two', { timeout }, async (t) => {
    await needs(t, 'efax', 'socat', 'tiffcp', 'libspandsp.so.2')
    const efax = await startEfax(t)
    const person = await SipPhone.open(t, { server: '' })
    const service = await FaxService.start(t, { receiver: efax.address, OFFHOOK_SANDBOX: 'on' })
    const id = await service.send(letter(1))
    const busy = await service.becomes(id, ['SCHEDULED', 'FAILED'])
    assert.deepEqual([busy.faxStatusType, busy.faxReason, busy.status], ['SCHEDULED', text('en_US', 'fax.reason.busy'), 'BUSY'])
    await service.leadTo(person.address)
    await service.exchange.operator.putSandboxTimeForward({}, { seconds: 60 })
    await (await person.invites.next()).session.progress(180)
    const unanswered = await service.becomes(id, ['SCHEDULED', 'FAILED'])
    assert.deepEqual([unanswered.faxStatusType, unanswered.faxReason], ['SCHEDULED', text('en_US', 'fax.reason.no_answer')])
    assert.deepEqual(await service.money(), { charges: [], reserved: 2 * minutePrice })
    await service.leadTo(efax.address)
    const receiving = efax.receive()
    await service.exchange.operator.putSandboxTimeForward({}, { seconds: 300 })
    assert.equal((await receiving.ended).code, 0)
    await service.becomes(id, ['SENT'])
    assert.equal((await service.money()).charges.length, 1)
  })
})
