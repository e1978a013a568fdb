import { databaseBounds } from './bounds.ts'
import { counter, gauge, histogram } from './family.ts'

/** The database, and what waits in it. */
export const storeFamilies = {
  offhook_store_up: gauge('1: the database answers. While it does not, what is read from it is left out here.'),
  offhook_store_full: gauge('1: the disk of the database is full.'),
  offhook_db_pool_size: gauge('Open connections to PostgreSQL.'),
  offhook_db_pool_idle: gauge('Those of them that nobody uses.'),
  offhook_db_pool_waiting: gauge('Who waits for a connection to PostgreSQL.'),
  offhook_db_query_seconds: histogram('How long PostgreSQL took for a statement.', databaseBounds),
  offhook_db_write_seconds: histogram('How long a transaction that writes took, until it was safe on the disk.', databaseBounds),
  offhook_outbox_pending: gauge('Messages that were not delivered yet, of the whole installation.', 'kind'),
  offhook_outbox_oldest_seconds: gauge('How long the oldest of them has waited.', 'kind'),
  offhook_outbox_overdue_seconds: gauge('For how long the one that is most late should have been tried: nobody takes it.', 'kind'),
  offhook_outbox_dead: gauge('Messages that were given up and are still kept, of the whole installation.', 'kind'),
  offhook_dead_letters_total: counter('Messages and jobs that this process gave up.', 'kind'),
  offhook_jobs_pending: gauge('Jobs, also those whose time has not come, of the whole installation.', 'kind'),
  offhook_jobs_overdue_seconds: gauge('For how long the job that is most late has been due, of the whole installation.'),
  offhook_journal_entries: gauge('What waits on the disk of this process until the database is back.'),
} as const
