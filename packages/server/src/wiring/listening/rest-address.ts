import type { Settings } from '#settings/config.ts'

/** Address of the REST API. It listens last, but links, notifications and the SMPP server contain its address. */
export class RestAddress {
  readonly #configured: string | undefined
  #listening = ''

  constructor({ OFFHOOK_PUBLIC_URL }: Settings) {
    this.#configured = OFFHOOK_PUBLIC_URL
  }

  /** Local address; empty until it listens. */
  readonly listening = (): string => this.#listening

  /** Public address. */
  readonly publicUrl = (): string => this.#configured ?? this.#listening

  listensAt(url: string): void {
    this.#listening = url
  }
}
