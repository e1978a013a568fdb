import type { HeaderLines } from '../message/build.ts'
import type { Response } from '../message/message.ts'
import type { ClientEvents } from '../transaction/invite-client.ts'
import type { DialogMessages } from './dialog-messages.ts'
import type { Fork, Forks } from './forks.ts'

/** Answers to an INVITE that come again, too late, or from another phone after the first. They may still come when the session is over: this is all that is kept for them. */
export class LateJoiners implements ClientEvents {
  readonly #forks: Forks
  readonly #messages: DialogMessages
  readonly #credentials: HeaderLines

  constructor(forks: Forks, messages: DialogMessages, credentials: HeaderLines) {
    this.#forks = forks
    this.#messages = messages
    this.#credentials = credentials
  }

  response(response: Response): void {
    if (response.status < 200 || response.status >= 300) return
    const known = this.#forks.known(response.toTag)
    if (known?.ack) return void known.ack.send()
    const fork = this.#forks.of(response)
    if (fork) void this.dismiss(fork, response)
  }

  failed(): void {}

  acknowledge(fork: Fork, response: Response, sdp: string | undefined): Promise<void> {
    fork.ack = this.#messages.acknowledge(fork.dialog, response, this.#credentials, sdp)
    return fork.ack.send()
  }

  /** Acknowledged, then hung up. */
  async dismiss(fork: Fork, response: Response): Promise<void> {
    await this.acknowledge(fork, response, undefined)
    await this.#messages.send('BYE', {}, fork.dialog)
  }
}
