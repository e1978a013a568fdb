// An assistant for the phone. Run it:            npx node examples/first-assistant/assistant.ts
// and talk to it, from another terminal:         npx offhook dev --endpoint http://127.0.0.1:3000
import { assistant } from '@offhook/sdk'

/** What callers are called, by call. */
const names = new Map<string, string>()

const { listen } = assistant(
  {
    session_start: () => 'Hello! I am your first assistant. What is your name?',

    user_speak: ({ session, text }) => {
      if (/\b(good[ -]?)?bye\b|\bgood-?by\b/i.test(text)) return ['Goodbye!', { type: 'hangup' }]
      const name = names.get(session.id)
      if (name === undefined) {
        names.set(session.id, text)
        return `Nice to meet you, ${text}. Ask me what time it is, or say goodbye.`
      }
      if (/\btime\b/i.test(text)) return `It is ${new Date().toLocaleTimeString('en-US', { timeStyle: 'short' })}, ${name}.`
      return `You said: ${text}` // a language model would answer here
    },

    session_end: ({ session, reason }) => {
      names.delete(session.id)
      console.log(`The call is over: ${reason}`)
    },
  },
  { secret: process.env.WEBHOOK_SECRET }, // without it, any request to this port is accepted
)

await listen(Number(process.env.PORT ?? 3000))
console.log(`The assistant listens on port ${process.env.PORT ?? 3000}.`)
