import { icons, type IconName } from './icons.ts'

export type { IconName } from './icons.ts'

/** Drawn in the text colour. Decorative without a label. */
export const Icon = ({ name, size = 18, label }: { name: IconName; size?: number; label?: string }) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth={1.75}
    strokeLinecap="round"
    strokeLinejoin="round"
    role={label === undefined ? undefined : 'img'}
    aria-label={label}
    aria-hidden={label === undefined}
    style={{ flexShrink: 0, display: 'block' }}
  >
    <path d={icons[name]} />
  </svg>
)
