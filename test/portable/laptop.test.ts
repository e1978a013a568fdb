import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { asMacOs, offhook, output } from '#test/machine/program.ts'
import { until } from '#test/machine/peer-process.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { letter } from '#test/service/fax-service.ts'
import { loud, secondsOf, secondsOfSound } from '#test/sound/tones.ts'
import { parseWav } from '#test/sound/wav.ts'
import { withCode } from '#test/http/with-code.ts'

/**
 * The whole program where only Node and npm are installed. On Linux a Mac is simulated; on a Mac it runs natively. Peers are the project's own,
 * because Debian's are not available; `npm run test:portable` adds tests with third-party telephones.
 */

const [ada, bob, eve] = [600, 1100, 1900]

const registered = async (t: TestContext, exchange: Exchange) => {
  const { user, password, deviceId } = await exchange.newDevice()
  const phone = await SipPhone.open(t, { server: exchange.sip, user, password })
  assert.equal((await phone.register()).status, 200)
  return { phone, deviceId }
}

const hearsMusic = ({ rtp }: SipPhone): Promise<void> =>
  rtp.until(() => {
    const sound = Float32Array.from(rtp.recent(500), (sample) => sample / 32_768)
    return [ada, bob].every((hz) => secondsOf(sound, 8000, hz, loud) === 0) && secondsOfSound(sound, 8000) > 0.3
  }, 'no music')

test('runs on a laptop with only Node', async (t) => {
  const exchange = await startExchange(t, { ...asMacOs, OFFHOOK_SPEECH: 'tones', OFFHOOK_LOG: 'info' })
  const { admin, data } = exchange
  const run = (args: string[], more: Record<string, string> = {}) => offhook(t, args, { ...asMacOs, OFFHOOK_DATA: data, ...more })

  await t.test('logs its implementations in one line', () => {
    const line = exchange.program.written.stderr.split('\n').find((each) => each.includes('"event":"machine_examined"')) ?? '{}'
    const { system, audio, watching } = JSON.parse(line) as Record<string, string>
    assert.deepEqual({ system, audio, watching }, { system: 'macos', audio: 'dgram', watching: 'ps' })
  })

  await t.test('serves the console with its scripts', async () => {
    const page = await fetch(`${exchange.http}/console/`)
    const [, script = ''] = /<script[^>]+src="([^"]+)"/.exec(await page.text()) ?? []
    const program = await fetch(new URL(script, `${exchange.http}/console/`))
    assert.deepEqual([page.status, program.status], [200, 200])
    assert.match(program.headers.get('content-type') ?? '', /javascript/)
  })

  await t.test('doctor names missing parts without reporting an error', async () => {
    const settings = { OFFHOOK_HTTP: new URL(exchange.http).host, OFFHOOK_SIP: exchange.sip, OFFHOOK_SPEECH: 'tones' }
    const [code, report, complaint] = await output(run(['doctor', '--json'], settings))
    assert.equal(code, 0, report + complaint)
    const { findings } = JSON.parse(report) as { findings: { about: string; state: string; says: string; advice?: string }[] }
    const found = (about: string): string => {
      const { state, says, advice } = findings.find((one) => one.about === about) ?? assert.fail(`nothing is said about ${about}`)
      return `${state}: ${says}. ${advice}`
    }
    assert.match(found('system'), /^doubtful: macOS/)
    assert.match(found('sound carrier'), /^fine: dgram/)
    if (process.platform === 'darwin') return
    assert.match(found('fax'), /^doubtful: .*libspandsp\.2\.dylib\. brew install spandsp/)
    assert.match(found('paper'), /^doubtful: .*pdf\.js/)
  })

  await t.test('init writes an assistant, and say types to the running one', async (t) => {
    const folder = join(await temporaryFolder(t), 'mine')
    assert.equal((await output(run(['init', folder])))[0], 0)
    assert.match(await readFile(join(folder, 'assistant.ts'), 'utf8'), /user_speak/)
    const [code, conversation] = await output(
      run(['say', '--flow', 'Demo', 'hi', 'goodbye'], { OFFHOOK_HTTP: new URL(exchange.http).host }),
    )
    assert.equal(code, 0)
    assert.match(conversation, /▶ hi\n◀ You said: hi\n▶ goodbye\n/)
  })

  await t.test('connects phones; hold, recording and transfer are audible', async (t) => {
    const [caller, called, third] = [await registered(t, exchange), await registered(t, exchange), await registered(t, exchange)]
    const [{ number }, other] = [await exchange.newLine(called.deviceId), await exchange.newLine(third.deviceId)]
    const call = caller.phone.call(number)
    const incoming = await called.phone.incoming()
    await called.phone.accept(incoming)
    await call.answered
    for (const [{ phone }, hz] of [
      [caller, ada],
      [called, bob],
      [third, eve],
    ] as const)
      phone.rtp.say(hz)
    const hears = async ({ phone: { rtp } }: typeof caller, hz: number): Promise<void> => {
      await rtp.hears(hz)
      rtp.forget()
      await rtp.hears(hz, 600)
    }
    const haveTwoWayAudio = () => Promise.all([hears(caller, bob), hears(called, ada)])
    await haveTwoWayAudio()
    const { callId } = await until('the call is listed', async () => (await admin.listCalls()).data[0])
    await admin.recordCall({ callId }, { value: true })
    await admin.holdCall({ callId }, { value: true })
    await hearsMusic(caller.phone)
    await admin.holdCall({ callId }, { value: false })
    await haveTwoWayAudio()
    const transfer = admin.transferCall({ callId }, { attended: false, phoneNumber: other.number })
    await Promise.all([transfer, third.phone.accept(await third.phone.incoming())])
    const [stays, hz] = await Promise.race([
      call.ended.then(() => [called, bob] as const),
      incoming.call.ended.then(() => [caller, ada] as const),
    ])
    await Promise.all([hears(stays, eve), hears(third, hz)])
    await admin.hangUpCall({ callId })
    await Promise.all([call.ended, incoming.call.ended])
    const entry = await until('the recording', async () =>
      (await admin.listOwnHistory({ types: ['CALL'] })).items.find((item) => item.callId === callId && (item.recordings ?? []).length > 0),
    )
    const { channels, rate } = parseWav(await readFile(join(data, 'recordings', exchange.accountId, `${entry.recordings?.[0]?.id}.wav`)))
    const seconds = (hz: number) => channels.reduce((sum, channel) => sum + secondsOf(channel, rate, hz, loud), 0)
    for (const tone of [ada, bob]) assert.ok(seconds(tone) > 0.4, `${tone} Hz is in the recording`)
  })

  await t.test('answers a phone with the assistant', async (t) => {
    const { phone } = await registered(t, exchange)
    const call = phone.call(exchange.demoNumber)
    await call.answered
    await phone.rtp.until(() => phone.rtp.recent(200).some((sample) => Math.abs(sample) > 1000), 'no greeting')
    await call.session.end()
  })

  const fax = async (recipient: string) => {
    const [line] = (await admin.listFaxlines({ userId: exchange.userId })).items
    const faxlineId = line?.id ?? ''
    return { faxlineId, recipient, filename: 'letter.pdf', base64Content: letter(2).toString('base64') }
  }

  await t.test('renders a fax to a local fax line with pdf.js, and delivers it', async () => {
    const { faxlineId } = await fax('')
    const { sessionId } = await admin.sendFax({}, await fax(await exchange.newNumber(faxlineId)))
    const sent = await until('the fax', async () => {
      const entry = await admin.getOwnHistoryEntry({ entryId: sessionId })
      return entry.faxStatusType === 'SENT' ? entry : undefined
    })
    assert.equal(sent.pagesSent, 2)
  })

  await t.test('rejects a fax to another network and names the programs to install', { skip: process.platform === 'darwin' }, async () => {
    await assert.rejects(admin.sendFax({}, await fax('+498912345678')), withCode('line_unavailable', 'brew install spandsp'))
  })
})
