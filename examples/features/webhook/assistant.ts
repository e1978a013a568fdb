// Answers over a webhook instead of a WebSocket: one request for each event, signed with the secret of the flow.
import { assistant } from '@offhook/sdk'

const { listen } = assistant(
  {
    session_start: () => 'Hello! What can I do for you?',
    user_speak: ({ text }) => (/bye/i.test(text) ? ['Goodbye!', { type: 'hangup' }] : `You said: ${text}`),
  },
  { secret: process.env.WEBHOOK_SECRET }, // without it, any request to this port is accepted
)

const server = await listen(Number(process.env.PORT ?? 3000))
const address = server.address()
console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : address}/`)
