/** What is to be said, in order, whatever it was written in. */
export type Script = readonly Piece[]

export type Piece = TextPiece | SilencePiece | AudioPiece | MarkPiece

export interface TextPiece extends ProsodyStyle {
  kind: 'text'
  /** As it was written, except that what `say-as` and `sub` ask for is done. Not yet cut into utterances. */
  text: string
}

/** How something is said. */
export interface ProsodyStyle {
  /** BCP 47. */
  language: string
  /** A voice that the document names; missing: that of the action or the flow. */
  voice?: string
  /** 1 is normal. */
  speed: number
  /** In semitones. */
  pitch: number
  /** 0 is normal. */
  gainDb: number
}

export interface SilencePiece {
  kind: 'silence'
  ms: number
}

export interface AudioPiece {
  kind: 'audio'
  /** From the action: only OutboundHttp may fetch it. */
  url: string
  gainDb: number
  /** Said when it can't be played; has no `audio` in it. */
  alternative: Script
}

export interface MarkPiece {
  kind: 'mark'
  name: string
}

/** What was made of an action's text. */
export interface Reading {
  script: Script
  /** For the account: what was left out or could not be understood. */
  problems: string[]
  /** The SSML document as it came; missing when it was plain text or not well-formed. */
  document?: string
  /** The document names sounds. */
  sounds?: true
}

/** The document for voices that take SSML themselves; undefined: it must be said piece by piece, because sounds are fetched by us alone. */
export const wholeDocument = ({ document, sounds }: Reading): string | undefined => (sounds ? undefined : document)

/** Its words, for people. */
export const wordsOf = (script: Script): string =>
  script
    .flatMap((piece) => (piece.kind === 'text' ? [piece.text.trim()] : piece.kind === 'audio' ? [wordsOf(piece.alternative)] : []))
    .filter((words) => words !== '')
    .join(' ')
