// The table of works: abbreviation, authors, title and year.
#include "tools/references.hpp"

namespace tutti::tools {
namespace {

constexpr Reference kReferences[] = {
    {"IB",
     "Carsten Viertel, Improving the Performance of Selected MPI Collective Communication "
     "Operations on InfiniBand Networks, diploma thesis, Chemnitz University of Technology, 2007",
     "The n-way binomial tree, recursive splitting, the scatter that is best under LogGP, most "
     "algorithms for allgather, and the rendezvous that the receiver starts."},
    {"OCC",
     "Jelena Pješivac-Grbović, Thara Angskun, George Bosilca, Graham E. Fagg, Edgar Gabriel and "
     "Jack J. Dongarra, Performance Analysis of MPI Collective Operations, PMEO-PDS, 2005",
     "The virtual topologies and their algorithms for barrier, broadcast, reduce and alltoall, "
     "segmentation, the splitted-binary broadcast."},
    {"BEO",
     "Wi Bing Tan and Peter Strazdins, The Analysis and Optimization of Collective Communications "
     "on a Beowulf Cluster, Australian National University, 2002",
     "The patterns for allgather, allreduce and reduce-scatter, and algorithms on a grid of ranks, "
     "within nodes and across them."},
    {"HPM",
     "Torsten Hoefler, William Gropp, Rajeev Thakur and Jesper Larsson Träff, Toward Performance "
     "Models of MPI Implementations for Understanding Application Scaling Issues, EuroMPI, 2010",
     "The broadcast of long messages by scatter and allgather. HPM [5] is its reference 5: Ernie "
     "Chan, Marcel Heimlich, Avi Purkayastha and Robert van de Geijn, Collective Communication: "
     "Theory, Practice, and Experience, 2007."},
    {"TAU",
     "Juan Antonio Rico Gallego, τ-Lop: Scalably and Accurately Modeling Contention and Mapping "
     "Effects in Multi-core Clusters, doctoral thesis, Universidad de Extremadura, 2015",
     "Its binomial tree, the tree of degree k, recursive doubling and neighbor exchange for "
     "allgather, the reduce by pairwise reduce-scatter and gather."},
    {"BHU97",
     "Jehoshua Bruck, Ching-Tien Ho, Eli Upfal, Shlomo Kipnis and Derrick Weathersby, Efficient "
     "Algorithms for All-to-All Communications in Multiport Message-Passing Systems, IEEE "
     "Transactions on Parallel and Distributed Systems 8(11), 1997",
     "Bruck's alltoall with any radix, and his allgather with k ports."},
    {"Hoefler",
     "Torsten Hoefler, Evaluation of publicly available Barrier-Algorithms and Improvement of the "
     "Barrier-Operation for large scale Cluster-Systems with special Attention on InfiniBand "
     "Networks, diploma thesis, Chemnitz University of Technology, 2005",
     "The n-way dissemination barrier."},
    {"Siebert",
     "Christian Siebert, Efficient Broadcast for Multicast-Capable Interconnection Networks, "
     "diploma thesis, Chemnitz University of Technology, 2006",
     "The broadcast by multicast."},
    {"Rabenseifner",
     "Rolf Rabenseifner and Jesper Larsson Träff, More Efficient Reduction Algorithms for "
     "Non-Power-of-Two Number of Processors in Message-Passing Parallel Systems, EuroPVM/MPI, 2004",
     "The reduction of long messages by reduce-scatter and gather."},
    {"Hillis",
     "W. Daniel Hillis and Guy L. Steele, Data Parallel Algorithms, Communications of the ACM "
     "29(12), 1986",
     "The scans by recursive doubling."},
    {"Träff 2019",
     "Jesper Larsson Träff and Sascha Hunold, Cartesian Collective Communication, ICPP, 2019",
     "Message combining along the dimensions of a torus on which all ranks have their neighbours "
     "at "
     "the same offsets."},
    {"Träff 2024",
     "Jesper Larsson Träff, Optimal Broadcast Schedules in Logarithmic Time with Applications to "
     "Broadcast, All-Broadcast, Reduction and All-Reduction, arXiv:2407.18004, and Optimal, "
     "Non-pipelined Reduce-scatter and Allreduce Algorithms, arXiv:2410.14234, both 2024",
     "Everything on circulant graphs."},
    {"De Sensi 2025",
     "Daniele De Sensi, Saverio Pasqualoni, Lorenzo Piarulli, Tommaso Bonato, Seydou Ba, Matteo "
     "Turisini, Jens Domke and Torsten Hoefler, Bine Trees: Enhancing Collective Operations by "
     "Optimizing Communication Locality, SC '25, arXiv:2508.17311, 2025",
     "Binomial negabinary (bine) trees and butterflies."},
};

}  // namespace

std::span<const Reference> references() noexcept { return kReferences; }

}  // namespace tutti::tools
