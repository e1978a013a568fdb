import type { ReactNode } from 'react'
import classes from './facts.module.css'

/** Names and values below each other; what is undefined is left out. */
export const Facts = ({ facts }: { facts: readonly (readonly [name: string, value: ReactNode | undefined])[] }) => (
  <dl className={classes.facts}>
    {facts.map(([name, value]) =>
      value === undefined || value === null || value === '' ? null : (
        <div key={name} className={classes.fact}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ),
    )}
  </dl>
)
