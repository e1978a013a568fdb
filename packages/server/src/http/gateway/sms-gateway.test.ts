import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld } from '#test/world/world.ts'

const gateway = { OFFHOOK_SMS_GATEWAY_URL: 'http://me:pw@127.0.0.1:9/cgi-bin/sendsms' }
const number = '+4915799912345'

for (const database of databases) {
  test(`${database}: accepts messages of a gateway with the secret and rejects malformed ones with 4xx`, async (t) => {
    const world = await startWorld(t, { database, settings: gateway })
    const { accountId, api } = await world.newAccount()
    await world.write(({ numbers }) =>
      numbers.insert(accountId, { id: 'n1', e164: number, type: 'MOBILE', state: 'ACTIVE', createdAt: 0, endpointId: 's0' }),
    )
    const [route] = (await (await world.operator()).listSmsRoutes()).items
    assert.deepEqual([route?.name, route?.usable], ['gateway', true])
    const messages = route?.messagesUrl ?? ''
    const receipts = messages.replace(/messages$/, 'receipts')
    const ask = async (url: string): Promise<number> => {
      const reply = await fetch(url)
      await reply.body?.cancel()
      return reply.status
    }
    const from = `from=%2B491701234567&to=${number.slice(1)}`
    assert.equal(await ask(`${messages}?${from}&text=Gr%C3%BC%C3%9Fe+%26+%40`), 204)
    assert.equal(await ask(`${messages}?${from}&text=%D8%3D%DE%80%00%21&charset=UTF-16BE`), 204)
    const { items } = await api.listOwnHistory({ types: ['SMS'] })
    assert.deepEqual(new Set(items.map(({ smsContent }) => smsContent)), new Set(['Grüße & @', '🚀!']))
    assert.ok(items.every(({ source }) => source === '+491701234567'))

    const answers: [string, number][] = [
      [`${messages.replace(/[\w-]{43}/, 'guess')}?${from}&text=x`, 404],
      [`${messages.replace(/[\w-]{43}/, 'x'.repeat(43))}?${from}&text=x`, 404],
      [`${messages.replace(/[\w-]{43}/, 'x'.repeat(43))}?nothing`, 404],
      [`${messages}?${from}`, 400],
      [`${messages}?text=x`, 400],
      [`${messages}?from=%00&to=1&text=x`, 400],
      [`${messages}?${from}&text=x&charset=KOI8-R`, 400],
      [`${messages}?from=&to=1&text=nobody`, 204],
      [`${messages}?from=%FF%FE&to=${number.slice(1)}&text=%00%FF%D8`, 204],
      [`${receipts}?id=unknown&type=1`, 204],
      [`${receipts}?id=unknown&type=99`, 204],
      [`${receipts}?id=%00&type=1`, 400],
      [`${receipts}?type=1`, 400],
    ]
    for (const [url, status] of answers) assert.equal(await ask(url), status, url.replace(messages, ''))
  })
}

test('has no gateway paths without an SMS gateway', async (t) => {
  const { url } = await startWorld(t)
  assert.equal((await fetch(`${url}/gateway/v1/x/messages?from=1&to=2&text=3`)).status, 404)
})
