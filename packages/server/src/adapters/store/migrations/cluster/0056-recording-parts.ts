/** A recording that went on at another node after a takeover consists of several files. */
export const recordingParts = (): string[] => [
  'alter table recording add column part_of text',
  'alter table recording add column place text',
  'alter table recording add column awaited integer not null default 0',
  'create index recording_parts on recording (account_id, part_of) where part_of is not null',
  'create index awaited_recordings on recording (id) where awaited = 1',
]
