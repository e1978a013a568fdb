/** The lazily loaded part of the telephone, as one file. */
export { CallBar } from './bar/call-bar.tsx'
export { Phone } from './phone.ts'
