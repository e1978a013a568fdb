/** How T.30 ended, and what is known about it. */
export interface FaxResult {
  /** Of T.30, as the engine numbers them: 0 is success. Undefined when the engine died, or when it never began. */
  code: number | undefined
  /** Sent: confirmed by the far end. Received: complete. Counted from the first page of this call. */
  pages: number
  /** Of the last page; 0 before one was agreed on with a fax machine. */
  bitRate: number
  errorCorrection: boolean
  carriedBy: 't38' | 'audio'
  /** What the far end calls itself; empty when it said nothing. */
  station: string
}

export interface FaxObserver {
  /** One more page is over there, or here. `pages` counts from the first one of this call. */
  page?(pages: number): void
}

export interface FaxToSend {
  /** Path of a TIFF with one bit for each pixel, 1728 wide, 204×196 dpi. */
  file: string
  /** Counted from 0: those before it have arrived in an earlier call. */
  firstPage: number
  /** What we call ourselves: at most 20 digits, spaces and +. */
  station: string
  /** Printed above every page, at most 50 characters; empty for none. */
  header: string
}

export interface FaxToReceive {
  /** Path of the TIFF that is written. */
  file: string
  station: string
}
