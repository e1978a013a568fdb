import { Dialog } from '../dialog/dialog.ts'
import { hasElement } from '../grammar/headers.ts'
import { leniently } from '../grammar/lenient.ts'
import type { Response } from '../message/message.ts'
import type { Acknowledgement } from './acknowledgement.ts'

/** The most branches of one call: what a hostile proxy makes up costs no more. */
const maxForks = 32

/** One branch of an outgoing call that rings or answered. */
export interface Fork {
  readonly dialog: Dialog
  /** Of the latest reliable response. */
  rseq: number | undefined
  /** Our offer's answer from a reliable response. */
  answer: string | undefined
  /** The description of the latest provisional response: the answer where the 2xx has none, as some gateways have it. */
  preview: string | undefined
  /** The ACK of its 2xx. */
  ack: Acknowledgement | undefined
}

/** Nothing when the response is not a reliable one. */
export const rseqOf = (response: Response): number | undefined => {
  const value = Number(response.header('rseq'))
  const reliable = leniently(() => hasElement(response.lines('require'), '100rel')) ?? false
  return reliable && Number.isInteger(value) && value > 0 ? value : undefined
}

/** The branches of an outgoing call, by the far end's tag: RFC 3261 §12.1.2. */
export class Forks {
  readonly #uri: string
  readonly #from: string
  readonly #byTag = new Map<string, Fork>()

  constructor(uri: string, from: string) {
    this.#uri = uri
    this.#from = from
  }

  known(tag: string | undefined): Fork | undefined {
    return this.#byTag.get(tag ?? '')
  }

  /** The branch that responds, a new one if need be. Nothing when the response does not say properly where it comes from. */
  of(response: Response): Fork | undefined {
    const known = this.known(response.toTag)
    if (known && response.status >= 200) return leniently(() => known.dialog.confirm(response)) ? known : undefined
    if (known || this.#byTag.size >= maxForks) return known
    const dialog = leniently(() => Dialog.ofResponse(response, this.#uri, this.#from))
    if (!dialog) return undefined
    const fork: Fork = { dialog, rseq: undefined, answer: undefined, preview: undefined, ack: undefined }
    this.#byTag.set(response.toTag ?? '', fork)
    return fork
  }
}
