import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorld } from '#test/world/world.ts'

test('Prometheus reads the metrics of a process, with the token that was set for it and no other', async (t) => {
  const world = await startWorld(t, { settings: { OFFHOOK_METRICS_TOKEN: 'scrape-me' } })
  const ada = await world.newAccount()
  await ada.api.getAccount()
  await ada.api.getAccount()
  const ask = (authorization?: string) => fetch(`${world.url}/metrics`, { headers: authorization === undefined ? {} : { authorization } })
  for (const wrong of [undefined, 'Bearer ', 'Bearer scrape-you', 'scrape-me', `Bearer ${ada.token}`])
    assert.equal((await ask(wrong)).status, 401)
  const reply = await ask('Bearer scrape-me')
  assert.match(reply.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  const text = await reply.text()
  assert.match(text, /^offhook_http_seconds_count 2$/m)
  assert.match(text, /^offhook_http_seconds_bucket\{le="\+Inf"\} 2$/m)
  assert.match(text, /^# TYPE offhook_calls_started_total counter\noffhook_calls_started_total 0$/m)
  for (const name of ['heap_used_bytes', 'heap_total_bytes', 'heap_limit_bytes', 'external_bytes', 'array_buffer_bytes', 'heap_near_limit'])
    assert.match(text, new RegExp(`^offhook_${name}\\{thread="main",id="0"\\} \\d+$`, 'm'))
  assert.match(text, /^offhook_resident_bytes [1-9]\d+$/m)
  for (const line of text.trimEnd().split('\n'))
    assert.match(line, /^(# (HELP|TYPE) offhook_\w+ .+|offhook_\w+(\{\w+="[^"]+"(,id="\d+")?\})? \d+(\.\d+)?)$/)
})

test('without a token for it the page does not exist', async (t) => {
  const world = await startWorld(t)
  assert.equal((await fetch(`${world.url}/metrics`)).status, 404)
})
