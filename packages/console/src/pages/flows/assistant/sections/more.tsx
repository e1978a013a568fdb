import type { ReactNode } from 'react'
import classes from './more.module.css'

/** What hardly anybody changes, closed until somebody wants it. */
export const More = ({ label, children }: { label: string; children: ReactNode }) => (
  <details className={classes.more}>
    <summary className={classes.label}>{label}</summary>
    <div className={classes.content}>{children}</div>
  </details>
)
