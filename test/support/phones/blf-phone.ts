import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { realClock } from '#adapters/clock/clocks.ts'
import { DigestClient } from '@offhook/sip/digest/digest-client.ts'
import type { Request, Response } from '@offhook/sip/message/message.ts'
import type { IncomingRequest } from '@offhook/sip/request/incoming-request.ts'
import type { UserAgent } from '@offhook/sip/user-agent/user-agent.ts'
import type { Scope } from '../machine/temporary-folder.ts'
import { openSipNode, type SipNodeOptions } from './sip-node.ts'

/** Credentials of a phone. */
export interface Login {
  deviceId: string
  username: string
  password: string
}

/** Phone with its own socket, which accepts every NOTIFY. */
export class BlfPhone {
  readonly told: Request[] = []
  readonly #ua: UserAgent
  readonly #digest: DigestClient
  readonly #username: string
  #seen = 0

  private constructor({ username, password }: Login, ua: UserAgent) {
    this.#username = username
    this.#digest = new DigestClient({ username, password })
    this.#ua = ua
  }

  static async open(t: Scope, login: Login): Promise<BlfPhone> {
    const onRequest = (incoming: IncomingRequest): void => {
      phone.told.push(incoming.request)
      incoming.respond(200)
    }
    const onInvite: SipNodeOptions['onInvite'] = ({ session }) => session.reject(486)
    const node = await openSipNode({ clock: realClock(), methods: ['NOTIFY'], onInvite, onRequest, product: 'Desk Phone 7' })
    const phone = new BlfPhone(login, node.ua)
    t.after(() => node.close(AbortSignal.abort()))
    return phone
  }

  subscribe(
    { running }: { running: { sip: string } },
    event: string,
    name: string,
    headers: [string, string][] = [['Expires', '600']],
  ): Promise<Response> {
    const from = `<sip:${this.#username}@offhook.example>`
    const uri = running.sip.replace('sip:', `sip:${encodeURIComponent(name)}@`)
    const draft = { method: 'SUBSCRIBE', uri, to: `<sip:${encodeURIComponent(name)}@offhook.example>`, from, contactUser: 'phone' }
    return this.#ua.request({ ...draft, digest: this.#digest, headers: [['Event', event], ...headers] })
  }

  /** Body of the next NOTIFY. */
  async next(): Promise<string> {
    const end = performance.now() + 60_000
    while (this.told.length <= this.#seen) {
      assert.ok(performance.now() < end, 'nothing is told')
      await setImmediate()
    }
    return Buffer.from(this.told[this.#seen++]?.body ?? '').toString()
  }
}
