import type { PortingDesk } from '../core/portings/porting-record.ts'
import type { Parts } from './parts.ts'

export const portingDesk = ({ clock, installation }: Parts): PortingDesk => ({
  clock,
  carrierCode: installation.carrierCode,
  publicUrl: installation.publicUrl,
})
