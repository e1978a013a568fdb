import type { Scope } from '#test/machine/temporary-folder.ts'
import { sipp, sippSucceeds, startSipp } from '#test/peers/sipp.ts'
import type { SipLogin } from '#test/service/exchange.ts'
import type { Stage } from '../shared/assistant-stage.ts'
import { inScope } from '../shared/scope.ts'

/** Repeated mixed load of an office. */
export interface Mixture {
  done: { bridged: number; assistant: number; registrations: number; requests: number; failed: number }
  liveFor(ms: number): Promise<void>
}

const carrier = '127.0.0.2'
const perSecond = { bridged: 10, assistant: 4, registrations: 1, requests: 20 }
const assistantTalkMs = 1_000
/** Milliseconds before the end after which no call starts. */
const lastCallMs = 5_000

export const startMixture = async (scope: Scope, stage: Stage): Promise<Mixture> => {
  const { exchange } = stage
  await exchange.newTrunk(carrier)
  const phone = await startSipp(scope, { scenario: 'uas', calls: 1_000_000 })
  const login = await exchange.newDevice()
  const numbers = { bridged: (await exchange.newLine(login.deviceId)).number, assistant: await stage.newFlow() }
  const done = { bridged: 0, assistant: 0, registrations: 0, requests: 0, failed: 0 }

  /** A call ends before its scope, so each minute has its own scope. */
  const call = async (minute: Scope, kind: 'bridged' | 'assistant', ms: number): Promise<void> => {
    const calls = Math.floor((perSecond[kind] * (ms - lastCallMs)) / 1000)
    const more = ['-d', String(kind === 'assistant' ? assistantTalkMs : 0)]
    const run = { scenario: 'uac', target: exchange.sip, address: carrier, concurrent: 1000, limitMs: ms * 2, more }
    const { failed } = await sipp(minute, { ...run, service: numbers[kind], calls, rate: perSecond[kind] })
    done[kind] += calls
    done.failed += failed
  }

  const register = async (minute: Scope, ms: number): Promise<void> => {
    const calls = Math.max(1, Math.floor((perSecond.registrations * (ms - lastCallMs)) / 1000))
    await sippSucceeds(minute, registration(exchange.sip, login, phone.address, calls))
    done.registrations += calls
  }

  const ask = async (ms: number): Promise<void> => {
    const until = performance.now() + ms - lastCallMs
    const headers = { authorization: `Bearer ${exchange.token}` }
    for (let nth = 0; performance.now() < until; nth++) {
      const path = paths[nth % paths.length] ?? ''
      const reply = await fetch(`${exchange.http}${path}`, { headers })
      await reply.arrayBuffer()
      if (reply.status !== 200) throw new Error(`GET ${path}: ${reply.status}`)
      done.requests++
      await new Promise((resolve) => setTimeout(resolve, 1000 / perSecond.requests))
    }
  }

  // Registers the phone before the first call to it.
  await sippSucceeds(scope, registration(exchange.sip, login, phone.address, 1))
  return {
    done,
    async liveFor(ms) {
      await inScope((minute) => Promise.all([call(minute, 'bridged', ms), call(minute, 'assistant', ms), register(minute, ms), ask(ms)]))
    },
  }
}

const paths = ['/v1/account', '/v2/history', '/v1/numbers']

const registration = (sip: string, login: SipLogin, address: string, calls: number) => ({
  scenario: 'phone-register',
  target: sip,
  login,
  keys: { from: login.user, domain: sip, contact: `sip:${login.user}@${address};transport=udp`, expires: '600' },
  calls,
  rate: perSecond.registrations,
})
