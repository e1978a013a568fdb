/** Everything of the telephone that comes later than the first load, as one file. */
export { CallBar } from './bar/call-bar.tsx'
export { Phone } from './phone.ts'
