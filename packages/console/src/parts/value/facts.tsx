import type { ReactNode } from 'react'
import classes from './facts.module.css'

interface FactsProps {
  facts: readonly (readonly [name: string, value: ReactNode | undefined])[]
  /** In a row, each name above its value: for a few short ones. */
  across?: boolean
}

/** Names and values in a list; omits undefined ones. */
export const Facts = ({ facts, across = false }: FactsProps) => (
  <dl className={classes.facts} data-across={across}>
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
