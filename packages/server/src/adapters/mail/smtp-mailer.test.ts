import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { test, type TestContext } from 'node:test'
import { inspect } from 'node:util'
import { smtpMailer } from './smtp-mailer.ts'

interface MailServer {
  url: string
  /** Commands of the clients, without the message itself. */
  commands: string[]
  messages: string[]
  connections: Set<Socket>
  accepted: number
}

/** Answers that differ from the defaults, by the first word of the command; an empty one means silence. */
type Answers = Record<string, string>

async function startMailServer(t: TestContext, answers: Answers = {}): Promise<MailServer> {
  const server = createServer()
  const seen: MailServer = { url: '', commands: [], messages: [], connections: new Set(), accepted: 0 }
  server.on('connection', (socket) => {
    seen.accepted++
    seen.connections.add(socket)
    socket.on('close', () => seen.connections.delete(socket)).on('error', () => {})
    converse(socket, answers, seen)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of seen.connections) socket.destroy()
    server.close()
  })
  seen.url = `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`
  return seen
}

function converse(socket: Socket, answers: Answers, seen: MailServer): void {
  let message: string[] | undefined
  const say = (command: string, usual: string) => {
    const text = answers[command] ?? usual
    if (text) socket.write(`${text}\r\n`)
  }
  say('greeting', '220 test ESMTP')
  createInterface({ input: socket, crlfDelay: Infinity }).on('line', (line) => {
    if (message && line === '.') {
      seen.messages.push(message.join('\r\n'))
      message = undefined
      say('.', '250 taken')
    } else if (message) {
      message.push(line.startsWith('.') ? line.slice(1) : line)
    } else {
      seen.commands.push(line)
      const command = line.split(' ')[0]!.toUpperCase()
      if (command === 'DATA') message = []
      say(command, { EHLO: '250-test\r\n250 8BITMIME', DATA: '354 go on', QUIT: '221 bye' }[command] ?? '250 fine')
      if (command === 'QUIT') socket.end()
    }
  })
}

function mailerFor(t: TestContext, url: string, timeoutMs = 10_000) {
  const mailer = smtpMailer({ url, from: 'Offhook <offhook@example.test>', timeoutMs })
  t.after(() => mailer.close())
  return mailer
}

function decodedBody(message: string): string {
  const body = message.slice(message.indexOf('\r\n\r\n') + 4)
  if (/^content-transfer-encoding: base64/im.test(message)) return Buffer.from(body, 'base64').toString('utf8')
  if (!/^content-transfer-encoding: quoted-printable/im.test(message)) return body
  const bytes = body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

test('sends attachments with the mail', async (t) => {
  const server = await startMailServer(t)
  const content = Buffer.alloc(200, 'fax')
  const attachment = { name: 'fax.pdf', type: 'application/pdf', content }
  await mailerFor(t, server.url).send({ to: 'ada@example.test', subject: 'Fax', text: 'Look', attachment })
  const [, part = ''] = /filename=fax\.pdf\r\n\r\n([\w+/=\r\n]+)/.exec(server.messages[0] ?? '') ?? []
  assert.ok(Buffer.from(part, 'base64').equals(content), server.messages[0])
})

test('sends a mail over SMTP and closes the connection', async (t) => {
  const server = await startMailServer(t)
  const mailer = mailerFor(t, server.url)
  const text = 'Guten Tag,\r\n.eine Zeile mit Punkt\r\nhttps://offhook.test/reset?token=a=b\r\nGrüße'
  await mailer.send({ to: 'jane@example.test', subject: 'Passwort zurücksetzen', text })
  assert.match(server.commands[0]!, /^EHLO /)
  assert.match(server.commands[1]!, /^MAIL FROM:<offhook@example\.test>/)
  assert.equal(server.commands[2], 'RCPT TO:<jane@example.test>')
  assert.equal(server.commands[3], 'DATA')
  const [message] = server.messages
  assert.match(message!, /^To: jane@example\.test\r?$/m)
  assert.match(message!, /^From: Offhook <offhook@example\.test>\r?$/m)
  const subject = /^Subject: =\?UTF-8\?Q\?(.+)\?=\r?$/im.exec(message!)?.[1]
  assert.equal(decodeURIComponent(subject!.replaceAll('_', ' ').replaceAll('=', '%')), 'Passwort zurücksetzen')
  assert.equal(decodedBody(message!).trimEnd(), text)
  for (const socket of server.connections) await once(socket, 'close')
  assert.equal(server.connections.size, 0)
})

test('uses two connections for two mails, even when the url requests a pool', async (t) => {
  const server = await startMailServer(t)
  const mailer = mailerFor(t, `${server.url}?pool=true`)
  await mailer.send({ to: 'a@example.test', subject: '1', text: '1' })
  await mailer.send({ to: 'b@example.test', subject: '2', text: '2' })
  assert.equal(server.accepted, 2)
  assert.equal(server.messages.length, 2)
})

test('rejects header injection and several recipients before any connection', async (t) => {
  const server = await startMailServer(t)
  const mailer = mailerFor(t, server.url)
  for (const to of ['a@b.test\r\nRCPT TO:<x@y.test>', 'a@b.test, x@y.test', 'team: a@b.test, x@y.test;', '"a" <a@b.test>', 'a@b.test>\n']) {
    await assert.rejects(mailer.send({ to, subject: 's', text: 't' }), /"to" is not one mail address/)
  }
  await assert.rejects(mailer.send({ to: 'a@b.test', subject: 'Hello\r\nBcc: x@y.test', text: 't' }), /"subject" has a line break/)
  assert.equal(server.accepted, 0)
})

test('fails when the server rejects the mail', async (t) => {
  const refusals: Answers[] = [
    { greeting: '554 no' },
    { MAIL: '451 later' },
    { RCPT: '550 5.1.1 <a@b.test> unknown' },
    { DATA: '452 full' },
    { '.': '451 later' },
  ]
  for (const answers of refusals) {
    const server = await startMailServer(t, answers)
    await assert.rejects(mailerFor(t, server.url).send({ to: 'a@b.test', subject: 's', text: 't' }), (error: Error) => {
      assert.doesNotMatch(inspect(error), /a@b\.test/, JSON.stringify(answers))
      return true
    })
  }
})

test('gives up on a server that is silent, before or during the conversation', async (t) => {
  for (const answers of [{ greeting: '' }, { EHLO: '' }, { DATA: '' }, { '.': '' }]) {
    const server = await startMailServer(t, answers)
    await assert.rejects(mailerFor(t, server.url, 50).send({ to: 'a@b.test', subject: 's', text: 't' }), { code: 'ETIMEDOUT' })
    for (const socket of server.connections) await once(socket, 'close')
  }
})

test('close waits for the current mail', async (t) => {
  const server = await startMailServer(t)
  const mailer = mailerFor(t, server.url)
  const sending = mailer.send({ to: 'a@b.test', subject: 's', text: 't' })
  await mailer.close()
  assert.equal(server.messages.length, 1)
  await sending
})

test('rejects a url that is not smtp, and an invalid sender, immediately', () => {
  for (const url of ['', 'mail.example.test', 'http://mail.example.test', 'direct:', 'smtp://']) {
    assert.throws(() => smtpMailer({ url, from: 'a@b.test' }), /smtp:\/\//)
  }
  for (const from of ['', 'nobody', 'a@b.test\r\nX: y']) assert.throws(() => smtpMailer({ url: 'smtp://localhost', from }), /sender/)
})
