import { Code } from '@mantine/core'
import classes from './audit-detail.module.css'

/** What an audit entry adds, as it was written down. */
export const AuditDetail = ({ detail }: { detail: unknown }) => {
  const written = JSON.stringify(detail)
  return written === undefined || written === 'null' || written === '{}' ? null : <Code className={classes.detail}>{written}</Code>
}
