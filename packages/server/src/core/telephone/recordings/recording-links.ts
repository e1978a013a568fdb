import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { SignedLinks, type SignedLinksDeps } from '#core/account/identity/tokens/signed-links.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { mayHear } from './find-recording.ts'

const folder = '/v2/recordings/'

/** Where one user can fetch one recording. */
export class RecordingLinks {
  readonly #store: Store
  readonly #links: SignedLinks

  constructor(deps: SignedLinksDeps) {
    this.#store = deps.store
    this.#links = new SignedLinks(deps, 'recording links', 'recording_link_invalid')
  }

  make(accountId: string, userId: string, recordingId: string): string {
    return this.#links.make({ accountId, userId }, folder + recordingId)
  }

  /** Whom the address was made for, if they may still hear the recording. One that is gone is found out later. */
  identify(address: string): Promise<UserCaller> {
    return this.#links.identify(address, async (listener, path) => {
      const recording = await this.#store.read.recordings.find(listener.accountId, path.slice(folder.length))
      return !recording || mayHear(this.#store.read, listener, recording)
    })
  }
}
