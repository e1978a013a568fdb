import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { canary, doorway, failsAs, httpTarget, listen, resolvesTo, type Handler } from '#test/http/outbound-client.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import type { OutboundRequest } from '#core/kernel/ports/outbound.ts'
import { wallClock } from './checked-connector.ts'
import { outboundHttp, type Lookup } from './outbound-http.ts'

test('sends a request to an allowed address and returns the whole response', async (t) => {
  let seen: { method?: string; url?: string; headers?: IncomingMessage['headers']; body: string } = { body: '' }
  const target = await httpTarget(t, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    seen = { method: request.method!, url: request.url!, headers: request.headers, body: Buffer.concat(chunks).toString() }
    response.writeHead(201, { 'x-one': '1', 'x-two': ['a', 'b'] }).end('Grüße')
  })
  const request = doorway(t, [`127.0.0.1:${target.port}`])
  const headers = { 'content-type': 'application/json', 'X-API-Key': 'k' }
  const reply = await request(`${target.url}/hook?a=b#c`, { method: 'POST', body: '{"ü":1}', headers })
  assert.equal(reply.status, 201)
  assert.equal(reply.body.toString(), 'Grüße')
  assert.equal(reply.headers['x-one'], '1')
  assert.equal(reply.headers['x-two'], 'a, b')
  assert.equal(seen.method, 'POST')
  assert.equal(seen.url, '/hook?a=b')
  assert.equal(seen.body, '{"ü":1}')
  assert.equal(seen.headers?.['x-api-key'], 'k')
  assert.equal(seen.headers?.['accept-encoding'], 'identity')
  assert.equal(seen.headers?.host, `127.0.0.1:${target.port}`)
})

test('rejects loopback without an exception, and an exception applies to its port only', async (t) => {
  const target = await canary(t)
  await assert.rejects(doorway(t)(target.url), failsAs('refused'))
  await assert.rejects(doorway(t, [`127.0.0.1:${target.port + 1}`, 'localhost'])(target.url), failsAs('refused'))
  assert.equal(target.connections, 0)
  assert.equal((await doorway(t, ['127.0.0.0/8'])(target.url)).body.toString(), 'reached')
  assert.equal((await doorway(t, [`localhost:${target.port}`])(`http://localhost:${target.port}/`)).status, 200)
})

/** Spellings of (mostly) the loopback address, the metadata address or another non-public one. `P` becomes the canary's port. */
const HOSTILE_URLS = `
  http://127.0.0.1:P http://127.1:P http://127.0.1:P http://2130706433:P http://017700000001:P http://0x7f000001:P http://0x7f.1:P
  http://0177.0.0.1:P http://0177.0x0.0.01:P http://127.000.000.001:P http://127.0.0.1.:P http://127.255.255.254:P http://0.0.0.0:P
  http://0:P http://0x0:P http://00000:P http://0.1.2.3:P http://%31%32%37.0.0.1:P http://①②⑦.⓪.⓪.①:P http://127。0。0。1:P
  http://１２７．０．０．１:P http://127.0.0.1:P/@example.com http://127.0.0.1:P#@example.com http://127.0.0.1:P?@example.com
  http:127.0.0.1:P http:/127.0.0.1:P http:///127.0.0.1:P http:\\\\127.0.0.1:P http://\\127.0.0.1:P HTTP://127.0.0.1:P
  http://user@127.0.0.1:P http://example.com@127.0.0.1:P http://example.com:80@127.0.0.1:P http://127.0.0.1:P@example.com
  http://:@127.0.0.1:P http://user:@example.com
  http://[::]:P http://[::1]:P http://[0:0:0:0:0:0:0:1]:P http://[0000::0001]:P http://[::0.0.0.1]:P http://[::127.0.0.1]:P
  http://[::ffff:127.0.0.1]:P http://[::ffff:7f00:1]:P http://[::FFFF:7F00:0001]:P http://[0:0:0:0:0:ffff:127.0.0.1]:P
  http://[::ffff:0:127.0.0.1]:P http://[64:ff9b::127.0.0.1]:P http://[64:ff9b::7f00:1]:P http://[64:ff9b:1::127.0.0.1]:P
  http://[2002:7f00:1::]:P http://[2001:0:7f00:1::]:P http://[fd00::1]:P http://[fc00::1]:P http://[fe80::1]:P http://[fec0::1]:P
  http://[ff02::1]:P http://[100::1]:P http://[2001:db8::1]:P http://[fd00:ec2::254]/latest/meta-data/ http://[fe80::1%25lo]:P
  http://169.254.169.254/latest/meta-data/ http://169.254.43518/ http://2852039166/ http://0xa9fea9fe/ http://0251.0376.0251.0376/
  http://[::ffff:169.254.169.254]/ http://[::ffff:a9fe:a9fe]/ http://[64:ff9b::a9fe:a9fe]/ http://169.254.169.254:443/
  https://127.0.0.1:P https://[::1]:P https://localhost:P https://169.254.169.254/
  http://10.0.0.1/ http://10.255.255.255/ http://172.16.0.1/ http://172.31.255.255/ http://192.168.0.1/ http://192.168.255.255/
  http://100.64.0.1/ http://100.100.100.200/ http://100.127.255.255/ http://192.0.0.192/ http://192.0.2.1/ http://198.18.0.1/
  http://198.51.100.1/ http://203.0.113.1/ http://224.0.0.1/ http://239.255.255.250:1900/ http://240.0.0.1/ http://255.255.255.255/
  http://localhost:P http://LOCALHOST:P http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:P http://loc%61lhost:P
  ftp://127.0.0.1:P file:///etc/passwd gopher://127.0.0.1:P/_x data:text/plain,x javascript:1 ws://127.0.0.1:P dict://127.0.0.1:P
  unix:/run/x.sock //127.0.0.1:P 127.0.0.1:P /etc/passwd http:// http://: http://[::1 http://a..b%00c/ http://127.0.0.1:99999/
`
  .trim()
  .split(/\s+/)

test('rejects every spelling of a non-public address', async (t) => {
  const target = await canary(t)
  const request = doorway(t)
  assert.ok(HOSTILE_URLS.length >= 100)
  for (const spelling of HOSTILE_URLS) {
    const url = spelling.replace('P', String(target.port))
    await assert.rejects(request(url), (error) => failsAs('refused')(error), spelling)
  }
  // Not every system resolves it with the final dot.
  await assert.rejects(request(`http://localhost.:${target.port}`), failsAs('refused', 'connect'))
  assert.equal(target.connections, 0)
})

const unspecified = (error: Error): boolean =>
  failsAs('connect')(error) && /^The name leads to no address that is public .* OFFHOOK_EGRESS_ALLOW=\w+\.test:\d+$/.test(error.message)

test('rejects a name when any of its addresses is not public', async (t) => {
  const target = await canary(t)
  for (const address of [
    '127.0.0.1',
    '::1',
    '0.0.0.0',
    '10.0.0.1',
    '169.254.169.254',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    'fd00::1',
    '0x7f.1',
    '',
  ]) {
    for (const addresses of [[address], ['3ffe::1', address], [address, '3ffe::1']]) {
      await assert.rejects(doorway(t, [], resolvesTo(...addresses))(`http://hook.test:${target.port}/`), unspecified, addresses.join())
    }
  }
  // An unknown name gets the same message: internal names stay secret.
  const unknown: Lookup = () => Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND hook.test'), { code: 'ENOTFOUND' }))
  for (const lookup of [resolvesTo(), unknown]) await assert.rejects(doorway(t, [], lookup)('http://hook.test/'), unspecified)
  assert.equal(target.connections, 0)
})

test('never reaches loopback through a name that changes between two lookups', async (t) => {
  const target = await canary(t)
  let lookups = 0
  // 3ffe::/16 is public by its form, but unassigned and not routed.
  const rebinding: Lookup = (name) => resolvesTo(lookups++ % 2 === 0 ? '3ffe::1' : '127.0.0.1')(name)
  const clock = new VirtualClock()
  const request = doorway(t, [], rebinding, clock)
  for (let round = 0; round < 4; round++) {
    const expected = round % 2 === 0 ? failsAs('connect', 'timeout') : unspecified
    const rejected = assert.rejects(request(`http://rebind.test:${target.port}/`, { deadlineMs: 200 }), expected)
    // A timeout ends the attempt where such packets get no answer.
    if (round % 2 === 0) await clock.advance(200)
    await rejected
  }
  assert.equal(lookups, 4, 'one lookup per connection: what was checked is what is used')
  assert.equal(target.connections, 0)
})

test('connects to the checked address while Host stays the name', async (t) => {
  const hosts: (string | undefined)[] = []
  const target = await httpTarget(t, (request, response) => {
    hosts.push(request.headers.host)
    response.end()
  })
  const request = doorway(t, [`hook.test:${target.port}`], resolvesTo('127.0.0.1'))
  await request(`http://hook.test:${target.port}/`)
  assert.deepEqual(hosts, [`hook.test:${target.port}`])
  await assert.rejects(doorway(t, ['127.0.0.2'], resolvesTo('127.0.0.1'))(`http://hook.test:${target.port}/`), unspecified)
})

test('sends the name as TLS server name, and reports a server without TLS as a failed connection', async (t) => {
  let hello = Buffer.alloc(0)
  const server = createTcpServer((socket) =>
    socket.once('data', (data) => {
      hello = data
      socket.end('no TLS here')
    }),
  )
  const target = await listen(t, server)
  const request = doorway(t, ['hook.test'], resolvesTo('127.0.0.1'))
  await assert.rejects(request(`https://hook.test.:${target.port}/`), failsAs('connect'))
  assert.ok(hello.includes('hook.test'))
  assert.ok(!hello.includes('hook.test.'))
})

test('tries the next address of a name when the first does not answer', async (t) => {
  const target = await httpTarget(t, (_, response) => response.end('second'))
  const request = doorway(t, ['127.0.0.0/8'], resolvesTo('127.0.0.9', '127.0.0.1'))
  assert.equal((await request(`http://two.test:${target.port}/`)).body.toString(), 'second')
})

test('returns a redirect without following it', async (t) => {
  const trap = await canary(t)
  for (const status of [301, 302, 303, 307, 308]) {
    const target = await httpTarget(t, (_, response) => response.writeHead(status, { location: trap.url }).end('moved'))
    const reply = await doorway(t, ['127.0.0.1'])(target.url, { method: 'POST', body: 'x', headers: { 'x-api-key': 'secret' } })
    assert.equal(reply.status, status)
    assert.equal(reply.headers['location'], trap.url)
    assert.equal(reply.body.toString(), 'moved')
  }
  assert.equal(trap.connections, 0)
})

test('the deadline covers connecting to the last byte, and the connection is closed afterwards', async (t) => {
  const wire = { written: 0 }
  const drip = (response: ServerResponse, write: () => unknown): void => {
    const again = (): void => {
      if (response.destroyed) return
      write()
      wire.written++
      setImmediate(again)
    }
    again()
  }
  const dripBody: Handler = (_, response) => {
    response.writeHead(200)
    drip(response, () => response.write('.'))
  }
  const dripHeaders: Handler = (_, response) => {
    response.socket?.write('HTTP/1.1 200 OK\r\n')
    drip(response, () => wire.written < 20 && response.socket?.write('x-a: b\r\n'))
  }
  const silence: Handler = () => (wire.written = 10)
  for (const handler of [dripBody, dripHeaders, silence]) {
    wire.written = 0
    const target = await httpTarget(t, handler)
    const clock = new VirtualClock()
    let failed = false
    const request = doorway(t, ['127.0.0.1'], undefined, clock)(target.url, { deadlineMs: 150 })
    const rejected = assert.rejects(request, failsAs('timeout')).finally(() => (failed = true))
    while (wire.written < 10) await clock.advance(0)
    await clock.advance(149)
    assert.equal(failed, false)
    await clock.advance(1)
    await rejected
    assert.equal(target.connections, 1)
    await Promise.all(target.closed)
  }
})

test('the deadline also covers a name server that does not answer', async (t) => {
  const never: Lookup = () => new Promise(() => {})
  const clock = new VirtualClock()
  const rejected = assert.rejects(doorway(t, [], never, clock)('http://slow.test/', { deadlineMs: 50 }), failsAs('timeout'))
  await clock.advance(50)
  await rejected
})

test('connecting has its own limit of two seconds', async (t) => {
  const clock = new VirtualClock()
  let failed = false
  const request = doorway(t, [], () => new Promise(() => {}), clock)('http://slow.test/')
  const rejected = assert.rejects(request, failsAs('connect')).finally(() => (failed = true))
  await clock.advance(1999)
  assert.equal(failed, false)
  await clock.advance(1)
  await rejected
})

test('cuts off an endless response, and one larger than announced or allowed', async (t) => {
  const chunk = Buffer.alloc(64 * 1024)
  let sent = 0
  const endless: Handler = (_, response) => {
    const pour = () => {
      while (!response.destroyed && response.write(chunk)) sent += chunk.length
    }
    response.on('drain', pour)
    pour()
  }
  const target = await httpTarget(t, endless)
  await assert.rejects(doorway(t, ['127.0.0.1'])(target.url, { maxBytes: 100_000 }), failsAs('too_large'))
  await Promise.all(target.closed)
  // Unsent bytes cannot fill our memory.
  assert.ok(sent < 50_000_000, `${sent} bytes were sent`)

  const gigabyte = await httpTarget(t, (request, response) => {
    response.writeHead(200, { 'content-length': 2 ** 30 })
    endless(request, response)
  })
  await assert.rejects(doorway(t, ['127.0.0.1'])(gigabyte.url), failsAs('too_large'))
})

test('accepts exactly the allowed number of bytes', async (t) => {
  const target = await httpTarget(t, (_, response) => response.end('x'.repeat(1000)))
  const request = doorway(t, ['127.0.0.1'])
  assert.equal((await request(target.url, { maxBytes: 1000 })).body.length, 1000)
  await assert.rejects(request(target.url, { maxBytes: 999 }), failsAs('too_large'))
})

test('returns an unrequested compressed response unchanged', async (t) => {
  const bomb = gzipSync(Buffer.alloc(100_000_000))
  const target = await httpTarget(t, (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb))
  const reply = await doorway(t, ['127.0.0.1'])(target.url)
  assert.equal(reply.headers['content-encoding'], 'gzip')
  assert.deepEqual(reply.body, bomb)
})

test('sequential requests reuse connections', async (t) => {
  const target = await httpTarget(t, (_, response) => response.end('ok'))
  const request = doorway(t, ['127.0.0.1'])
  for (let round = 0; round < 50; round++) await request(target.url, { method: 'POST', body: String(round) })
  // A second one is opened when a request starts at the very moment in which the first becomes free.
  assert.ok(target.connections <= 2, `${target.connections} connections`)
})

test('distinguishes a missing server, one that disconnects, and one with an invalid response', async (t) => {
  const free = await httpTarget(t, () => {})
  const request = doorway(t, ['127.0.0.1'])
  const answering = async (bytes: string) =>
    (
      await listen(
        t,
        createTcpServer((socket) => socket.once('data', () => socket.end(bytes))),
      )
    ).url
  await assert.rejects(request(`http://127.0.0.1:1/`), failsAs('connect'))
  await assert.rejects(request(await answering('')), failsAs('broken'))
  await assert.rejects(request(await answering('220 smtp ready\r\n')), failsAs('broken'))
  await assert.rejects(request(await answering('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nshort')), failsAs('broken'))
  await assert.rejects(request(await answering('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n')), failsAs('broken'))
  await assert.rejects(request(await answering(`HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(100_000)}\r\n\r\n`)), failsAs('too_large'))
  await assert.rejects(doorway(t, [], undefined, wallClock)('http://does-not-exist.invalid/'), failsAs('connect'))
  assert.equal(free.connections, 0)
})

test('rejects headers that are ours to decide or would add lines', async (t) => {
  const target = await canary(t)
  const request = doorway(t, ['127.0.0.1'])
  for (const name of ['Host', 'accept-encoding', 'Connection', 'content-length', 'Transfer-Encoding', 'upgrade', 'expect']) {
    await assert.rejects(request(target.url, { headers: { [name]: '1' } }), failsAs('refused'), name)
  }
  for (const headers of [{ 'x-a': 'b\r\nx-c: d' }, { 'x-a\r\nx-b': 'c' }, { 'x a': 'b' }, { '': 'b' }]) {
    await assert.rejects(request(target.url, { headers }), failsAs('refused'), JSON.stringify(headers))
  }
  assert.equal(target.connections, 0)
})

test('messages contain no address besides that of the request', async (t) => {
  const lookup = resolvesTo('10.11.12.13')
  const messages: string[] = []
  await doorway(t, [], lookup)('http://name.test/secret').catch((error: Error) => messages.push(error.message))
  await doorway(t, [], lookup)('http://user:secret@10.0.0.1/').catch((error: Error) => messages.push(error.message))
  await doorway(t, ['127.0.0.1'])('http://127.0.0.1:1/').catch((error: Error) => messages.push(error.message))
  assert.equal(messages.length, 3)
  for (const message of messages) assert.doesNotMatch(message, /\d+\.\d+\.\d+\.\d+|secret/)
})

test('close waits for current requests, ends all connections, and rejects new ones', async (t) => {
  const target = await httpTarget(t, (_, response) => setImmediate(() => response.end('late')))
  const door = outboundHttp({ allow: ['127.0.0.1'], clock: new VirtualClock() })
  const wanted: OutboundRequest = { method: 'GET', url: target.url, deadlineMs: 5000, maxBytes: 100 }
  const underWay = door.request(wanted)
  await door.close()
  assert.equal((await underWay).body.toString(), 'late')
  await Promise.all(target.closed)
  await assert.rejects(door.request(wanted), failsAs('broken'))
  assert.equal(target.connections, 1)
})

test('close does not wait for abandoned connections', async () => {
  const clock = new VirtualClock()
  const door = outboundHttp({ allow: [], lookup: () => new Promise(() => {}), clock })
  const request = door.request({ method: 'GET', url: 'http://slow.test/', deadlineMs: 20, maxBytes: 1 })
  const rejected = assert.rejects(request, failsAs('timeout'))
  await clock.advance(20)
  await rejected
  assert.equal(clock.pending(), 1, 'it still tries to connect')
  await door.close()
  assert.equal(clock.pending(), 0)
})

test('reports the request as sent only once there is a connection', async (t) => {
  const target = await httpTarget(t, (_, response) => response.end('hello'))
  const { promise: answered, resolve: answer } = Promise.withResolvers<{ address: string; family: number }[]>()
  const request = doorway(t, [`slow.test:${target.port}`], () => answered)
  let sent = 0
  const reply = request(`http://slow.test:${target.port}/`, { method: 'POST', body: 'x', onWire: () => sent++ })
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(sent, 0)
  answer([{ address: '127.0.0.1', family: 4 }])
  assert.equal((await reply).body.toString(), 'hello')
  assert.equal(sent, 1)
  await assert.rejects(request('http://127.0.0.1:1/', { onWire: () => sent++ }), failsAs('refused'))
  assert.equal(sent, 1)
})

test('aborts an unneeded request, whether it waits for a connection or for the response', async (t) => {
  const target = await httpTarget(t, () => {})
  const request = doorway(t, [`127.0.0.1:${target.port}`, 'nowhere.test'], () => new Promise(() => {}))
  const waiting = new AbortController()
  const answer = request(target.url, { signal: waiting.signal, onWire: () => waiting.abort() })
  await assert.rejects(answer, failsAs('aborted'))
  await Promise.all(target.closed)
  const connecting = new AbortController()
  const connection = request('http://nowhere.test/', { signal: connecting.signal })
  connecting.abort()
  await assert.rejects(connection, failsAs('aborted'))
  await assert.rejects(request(target.url, { signal: AbortSignal.abort() }), failsAs('aborted'))
})
