import { styleText } from 'node:util'
import { eraseLine } from '#log/log.ts'

type Style = Parameters<typeof styleText>[0]

/** Colours only at a terminal: not in files and pipes, and not with NO_COLOR. */
export const paint = (style: Style, text: string, stream: NodeJS.WritableStream = process.stdout): string =>
  styleText(style, text, { stream })

/** A separate line, even over a progress bar. */
export const overBar = (line: string, stream: NodeJS.WritableStream & { isTTY?: boolean } = process.stdout): string =>
  stream.isTTY === true ? eraseLine + line : line

/** Text of callers and endpoints, in one line and without control characters for the terminal. */
// oxlint-disable-next-line no-control-regex -- these are what it is about
export const harmless = (text: string): string => text.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
