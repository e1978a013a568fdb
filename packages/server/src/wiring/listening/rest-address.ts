import type { Settings } from '#settings/config.ts'

/** Where the REST interface is reached. It listens last, but links, notifications and the SMPP server name its address. */
export class RestAddress {
  readonly #configured: string | undefined
  #listening = ''

  constructor({ OFFHOOK_PUBLIC_URL }: Settings) {
    this.#configured = OFFHOOK_PUBLIC_URL
  }

  /** On this machine; empty until it listens. */
  readonly listening = (): string => this.#listening

  /** From outside. */
  readonly publicUrl = (): string => this.#configured ?? this.#listening

  listensAt(url: string): void {
    this.#listening = url
  }
}
