import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** Colours only where somebody sees them: not in files and pipes, not where NO_COLOR says so. */
export const paint = (style: Style, text: string, stream: NodeJS.WritableStream = process.stdout): string =>
  styleText(style, text, { stream })

/** Words of callers and endpoints, in one line and unable to steer the terminal. */
// oxlint-disable-next-line no-control-regex -- these are what it is about
export const harmless = (text: string): string => text.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
