/*
 * The packets of a job carry the traffic class of the settings, which is the argument: rank 0 looks
 * at what leaves its host for the port of RoCE v2.
 */
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <sys/socket.h>

#include "job.h"

enum { kRoce = 4791 };

/* How many packets of RoCE v2 there were; each must have that class. */
static int look(int listener, int traffic_class) {
  int seen = 0;
  unsigned char packet[8192];
  for (;;) {
    struct sockaddr_ll from;
    socklen_t length = sizeof from;
    const ssize_t bytes =
        recvfrom(listener, packet, sizeof packet, MSG_DONTWAIT, (struct sockaddr*)&from, &length);
    if (bytes < 0) return seen;
    struct iphdr ip;
    struct udphdr udp;
    if (from.sll_pkttype != PACKET_OUTGOING || (size_t)bytes < sizeof ip + sizeof udp) continue;
    memcpy(&ip, packet, sizeof ip);
    memcpy(&udp, packet + 4 * ip.ihl, sizeof udp);
    if (ip.version != 4 || ip.protocol != IPPROTO_UDP || ntohs(udp.dest) != kRoce) continue;
    CHECK(ip.tos == traffic_class, "a packet has the traffic class %d", ip.tos);
    ++seen;
  }
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  CHECK(argc == 2, "usage: traffic_test TRAFFIC_CLASS");
  const int listener = job_rank == 0 ? socket(AF_PACKET, SOCK_DGRAM, htons(ETH_P_ALL)) : -1;
  CHECK(job_rank != 0 || listener >= 0, "packets cannot be looked at");
  MUST(tutti_init(NULL));
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  int number = job_rank;
  MUST(tutti_barrier(comm)); /* the handshake's datagrams, and the connection's first packets */
  MUST(tutti_bcast(&number, 1, MPI_INT, 0, comm));
  CHECK(number == 0, "the number is %d", number);
  MUST(tutti_barrier(comm)); /* the other rank has the number, so it has left this host */
  if (job_rank == 0) {
    const int seen = look(listener, atoi(argv[1]));
    CHECK(seen >= 4, "only %d packets left the host", seen);
    close(listener);
  }
  MUST(tutti_comm_free(&comm));
  job_end("traffic");
  return 0;
}
