// Says back what the caller says. Needs nothing but Node:
//   SECRET=whsec_… node examples/echo/endpoint.mjs
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

const { PORT = '3000', SECRET } = process.env

/** Whether an event is from Offhook and fresh (Standard Webhooks). Without SECRET everything is believed. */
const genuine = (headers, body) => {
  if (!SECRET) return true
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': given = '' } = headers
  if (!(Math.abs(Date.now() / 1000 - Number(time)) < 300)) return false
  const key = Buffer.from(SECRET.replace('whsec_', ''), 'base64')
  const right = Buffer.from(`v1,${createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64')}`)
  return given.split(' ').some((one) => one.length === right.length && timingSafeEqual(Buffer.from(one), right))
}

/** As people say it and recognisers write it: Goodbye, good-bye, Good-by, Bye! */
const goodbye = /\bgood[ -]?bye\b|\bgood-?by\b|\bbye\b|tschüs|auf wiedersehen/i

/** One action, several, or nothing. */
const answer = ({ type, session, text: words = '', barged_in: interrupted }) => {
  const speak = (sentence) => ({ type: 'speak', session_id: session.id, text: sentence, user_input_timeout_seconds: 8 })
  switch (type) {
    case 'session_start':
      return speak('Hello! Say something, and I say it back. Say goodbye to end the call.')
    case 'user_speak':
      if (goodbye.test(words)) return [speak('Goodbye!'), { type: 'hangup', session_id: session.id }]
      return speak(interrupted ? `All right, I stop. You said: ${words}` : `You said: ${words}`)
    case 'user_input_timeout':
      return speak('Are you still there?')
    default:
      return undefined
  }
}

const handle = async (request, response) => {
  const body = await text(request)
  if (!genuine(request.headers, body)) return response.writeHead(401).end()
  const actions = answer(JSON.parse(body))
  if (actions === undefined) return response.writeHead(204).end()
  return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(actions))
}

const server = createServer((request, response) => void handle(request, response).catch(() => response.writeHead(400).end()))
server.listen(Number(PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`))
