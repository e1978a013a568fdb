import { claimIn, mayClaim, type Claim } from './claim-in.ts'

const clauseEnd = /[,;:](?=\s)|[.!?…]+["'”’»)]*(?=\s)/u
const sentenceEnd = /[.!?…]["'”’»)]*$/
/** Full stops that end no sentence. */
const abbreviation = /(?:^|\s)(?:dr|mr|mrs|ms|st|nr|no|prof|bzw|ca|z\. ?b|p\. ?m|a\. ?m|\p{L}|\d{1,2})\.$/iu

interface ClaimGuardDeps {
  /** BCP 47. */
  language: string
  /** True if a tool has done it. */
  isCovered: (claim: Claim) => boolean
}

/**
 * Holds back sentences that claim a deed until it is known whether it was done. Clauses without such words pass at once: a voice waits for whole
 * clauses anyway. After a claim without a deed nothing passes.
 */
export class ClaimGuard {
  readonly #deps: ClaimGuardDeps
  /** Text without a clause's end. */
  #rest = ''
  /** The sentence so far, and its part that waits. */
  #sentence = ''
  #waiting = ''
  #claim: Claim | undefined
  #held = ''

  constructor(deps: ClaimGuardDeps) {
    this.#deps = deps
  }

  /** The claim that nothing covers, and the text from its sentence on. */
  get held(): { claim: Claim; text: string } | undefined {
    return this.#claim && { claim: this.#claim, text: this.#held.trim() }
  }

  put(text: string): string {
    this.#rest += text
    let ready = ''
    for (let end = clauseEnd.exec(this.#rest); end; end = clauseEnd.exec(this.#rest)) {
      const length = end.index + end[0].length
      ready += this.#clause(this.#rest.slice(0, length), false)
      this.#rest = this.#rest.slice(length)
    }
    return ready
  }

  end(): string {
    const last = this.#rest
    this.#rest = ''
    return this.#clause(last, true)
  }

  #clause(clause: string, last: boolean): string {
    if (this.#claim) {
      this.#held += clause
      return ''
    }
    this.#sentence += clause
    this.#waiting += clause
    const isOver = last || (sentenceEnd.test(clause) && !abbreviation.test(this.#sentence))
    if (isOver) return this.#judge()
    return mayClaim(this.#sentence, this.#deps.language) ? '' : this.#release()
  }

  #judge(): string {
    const claim = claimIn(this.#sentence, this.#deps.language)
    this.#sentence = ''
    if (!claim || this.#deps.isCovered(claim)) return this.#release()
    this.#claim = claim
    this.#held = this.#waiting
    return ''
  }

  #release(): string {
    const ready = this.#waiting
    this.#waiting = ''
    return ready
  }
}
