export interface Carriers {}
