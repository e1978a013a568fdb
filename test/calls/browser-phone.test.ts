import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createClient, type Client } from '@offhook/sdk'
import { openPage, type Page } from '#test/machine/chromium.ts'
import { until } from '#test/machine/peer-process.ts'
import { needs } from '#test/peers/debian.ts'
import { PagePhone } from '#test/phones/page-phone.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'

/** Tone of each party in Hz: far from each other, from ringing and from keys. */
const [adaTone, bobTone, deskTone] = [620, 1150, 1900]

/** Opens a tab of the service in a real browser. */
const openTab = async (t: TestContext, { http }: Exchange): Promise<Page> => {
  const page = await openPage(t)
  await page.evaluate(`void (location.href = '${http}/health')`)
  await until('the page of the service', () => page.evaluate<boolean>(`location.href.startsWith('${http}')`).catch(() => false))
  return page
}

const openPhone = async (page: Page, api: Client, name: string, tone: number) => {
  const { url, deviceId } = await api.openPhone()
  const phone = await PagePhone.open(page, url, { name, tone })
  assert.equal((await phone.onEvent('ready')).deviceId, deviceId)
  return { phone, deviceId }
}

/** Creates another user of the account. */
const newUser = async ({ operator, accountId, http }: Exchange) => {
  const [email, password] = ['bob@example.com', 'correct horse battery']
  const { id: userId } = await operator.createUser({}, { accountId, firstname: 'Bob', lastname: 'B', email, password })
  const { token } = await createClient({ baseUrl: http }).createSessionToken({}, { username: email, password })
  return { api: createClient({ baseUrl: http, token }), userId }
}

test('uses pages as phones: ringing from a desk phone, keys, hold, echo, each other, transfer', { timeout: 110_000 }, async (t) => {
  if (!(await needs(t, 'chromium')) || !(await needs(t, 'baresip'))) return
  const exchange = await startExchange(t)
  const [tab, desk] = await Promise.all([openTab(t, exchange), exchange.newPhone(t, { tone: deskTone })])
  const { phone: ada, deviceId } = await openPhone(tab, exchange.admin, 'ada', adaTone)
  const { number } = await exchange.newLine(deviceId)

  await t.test('plays the echo test', async (t) => {
    const callId = await ada.dial('*43')
    await ada.onEvent('answered', callId)
    await ada.hears(callId, adaTone)
    t.diagnostic(`round trip ${Math.round(await ada.roundTrip(callId))} ms`)
    await ada.send({ type: 'hangup', callId })
    assert.equal((await ada.onEvent('ended', callId)).by, 'peer')
  })

  await t.test('answers a desk phone with two-way audio', async (t) => {
    const second = await openPhone(tab, exchange.admin, 'second', 440)
    const dialled = Date.now()
    await desk.dial(`sip:${number}@${exchange.sip}`)
    const { callId, to, from } = await ada.onEvent('ring')
    t.diagnostic(`rings ${Date.now() - dialled} ms after the phone was told to dial`)
    assert.deepEqual([to.number, to.line], [number, 'Line'])
    assert.ok(from.name)
    const { coreCallId } = await ada.onEvent('call', callId)
    await second.phone.onEvent('ring')
    const clicked = await ada.accept(callId)
    assert.equal((await second.phone.onEvent('ended', callId)).elsewhere, true)
    await second.phone.close()
    await ada.onEvent('answered', callId)
    t.diagnostic(`sound ${Math.round((await ada.hears(callId, deskTone)) - clicked)} ms after the click`)
    await desk.hears(adaTone, 1)
    const { data } = await exchange.admin.listCalls()
    assert.deepEqual(
      data.map((call) => call.callId),
      [coreCallId],
    )

    await ada.send({ type: 'dtmf', callId, digits: '15#' })
    for (const digit of '15#') assert.equal((await desk.event('CALL_DTMF_START')).param, digit)

    await ada.send({ type: 'record', callId, value: true })
    assert.equal((await ada.onEvent('recording', callId)).value, true)
    await ada.send({ type: 'quality', callId, lossPct: 0.5, jitterMs: 3, rttMs: 42.123, silentMs: 0 })
    await ada.send({ type: 'hold', callId, value: true })
    await ada.send({ type: 'hold', callId, value: false })
    await ada.hears(callId, deskTone)
    await ada.send({ type: 'hangup', callId })
    await desk.event('CALL_CLOSED')
    const entries = (await exchange.admin.getTimeline({ callId: coreCallId })).items
    const quality = entries.find((entry) => entry.kind === 'quality' && entry.deviceId === deviceId)
    assert.ok(quality?.kind === 'quality' && quality.roundTripMs === 42.1 && quality.reported?.lossPercent === 0.5, JSON.stringify(entries))
  })

  await t.test('answers 486 when the user declines, and hangs up when the tab closes', async () => {
    await desk.dial(`sip:${number}@${exchange.sip}`)
    const first = await ada.onEvent('ring')
    await ada.send({ type: 'decline', callId: first.callId, cause: 'busy' })
    assert.match((await desk.event('CALL_CLOSED')).param ?? '', /486/)
    const { phone } = await openPhone(tab, exchange.admin, 'brief', 440)
    await desk.dial(`sip:${number}@${exchange.sip}`)
    const { callId } = await phone.onEvent('ring')
    await phone.accept(callId)
    await phone.onEvent('answered', callId)
    await phone.close()
    await desk.event('CALL_CLOSED')
  })

  await t.test('connects two pages; one holds, consults the desk phone, and joins the two', async () => {
    const { api, userId } = await newUser(exchange)
    const { phone: bob } = await openPhone(tab, api, 'bob', bobTone)
    const [line] = (await api.listPhonelines({ userId })).items
    const bobsNumber = await exchange.newNumber(line?.id)
    const toBob = await ada.dial(bobsNumber)
    const rung = await bob.onEvent('ring')
    await ada.onEvent('ringing', toBob)
    await bob.accept(rung.callId)
    await Promise.all([bob.hears(rung.callId, adaTone), ada.hears(toBob, bobTone)])
    await ada.send({ type: 'hold', callId: toBob, value: true })
    await bob.hearsOther(rung.callId, adaTone)
    const { number: deskNumber } = await exchange.newLine(desk.deviceId)
    const answered = desk.answer()
    const toDesk = await ada.dial(deskNumber)
    await answered
    await ada.hears(toDesk, deskTone)
    await ada.send({ type: 'transfer', callId: toBob, toCall: toDesk })
    assert.equal((await ada.onEvent('transfer', toBob)).state, 'done')
    await Promise.all([ada.onEvent('ended', toBob), ada.onEvent('ended', toDesk)])
    await bob.hears(rung.callId, deskTone)
    await desk.hears(bobTone, 0.5)
    await bob.send({ type: 'hangup', callId: rung.callId })
    await desk.event('CALL_CLOSED')
  })
})
